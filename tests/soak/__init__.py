"""Tries for hours what the tests try for seconds: kills, random histories, fuzzed inputs; all seeded."""
