"""`python -m ohara` is the `ohara` command."""

from __future__ import annotations

import sys

from ohara.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
