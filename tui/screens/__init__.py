"""Screens: each composes widgets, sends requests through the link, and runs actions of the table."""
