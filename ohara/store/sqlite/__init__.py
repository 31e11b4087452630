"""One SQLite database per repository: the only room that knows apsw, sqlite-vec and SQL."""
