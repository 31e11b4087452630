"""Formats results: text for a terminal or a pipe, and one stable JSON object for programs."""
