"""`python -m ohara` is the `ohara` command."""

from __future__ import annotations

from ohara.cli.entry import run

if __name__ == "__main__":
    run()
