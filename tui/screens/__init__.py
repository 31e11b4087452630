"""Screens: each composes widgets, asks through the link, and answers actions of the registry."""
