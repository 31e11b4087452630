"""Browsing one repository: details of commits, history of lines and symbols, blame."""
