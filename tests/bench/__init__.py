"""Benchmarks: answers and speed, each measured beside its peer in the same run. See docs/benchmarks.md."""
