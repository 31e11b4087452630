"""What became of lines: which hunk each line of a file comes from, and what took lines away again."""
