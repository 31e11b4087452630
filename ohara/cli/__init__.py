"""The command line: parses flags, calls the rest of ohara, prints. It decides nothing about history."""
