"""Widgets that draw values and post messages about user input; none of them sends requests to the service."""
