"""One module for each command, imported only when that command is typed.

A module exposes a click command named `command`; its line in the table of `ohara.cli.main` gives the name and
the short help. A command returns an `ExitCode`, or None for success, and raises `OharaError`.
"""
