"""One module for each command, imported only when that command is typed.

A module exposes a click command named `command`; its line in the table of `ohara.cli.main` carries the
name and the short help. A command returns an `ExitCode`, or nothing for success, and raises `OharaError`.
"""
