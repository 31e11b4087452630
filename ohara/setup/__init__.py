"""Integrates ohara into a system: schedules, git hooks, and a check of the whole installation."""
