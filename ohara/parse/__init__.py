"""Syntax: the symbols that a file defines, and where a long hunk may be cut.

The only package that imports tree-sitter, and only when something is really parsed. It reads no
repository and no database; it is given bytes. What a grammar cannot make sense of is left out or cut
by lines; no input raises.
"""

from typing import Final

# Part of the index's fingerprint: raise it when the same bytes give other symbols or other pieces.
PARSER_VERSION: Final = 1
