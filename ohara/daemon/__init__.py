"""The background service: one process a user, which answers for all repositories and keeps them fresh."""
