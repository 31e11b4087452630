"""The command line: parses options, calls the rest of ohara and prints. Contains no search or index logic."""
