"""What belongs together in a history: threads of work, copies of a change, co-changing files. Pure."""
