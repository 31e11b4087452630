"""ohara finds the diff hunks where something happened in a repository's history."""

__version__ = "0.1.0"
