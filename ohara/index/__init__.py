"""Indexing: reads new commits, newest first, and stores their hunks, pass by pass."""
