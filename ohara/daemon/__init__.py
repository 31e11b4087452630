"""The background service: one process per user that searches all repositories and keeps indexes fresh."""
