"""Puts ohara into its surroundings: schedules, git hooks, and a check of the whole installation."""
