"""Decodes what a shell hands over as the index decodes paths, where it is not UTF-8.

Python keeps such bytes as lone surrogates, which no path in an index has.
"""

from __future__ import annotations

import os
import re

_BY_ITSELF = re.compile(r'(?:"[^"]*"|[^\s"])+')  # what stands between blanks, or in quotes
_FILTER = re.compile(r"-?[a-z]+:")


def decoded(argument: str) -> str:
    """A path, or a place, as the index spells it."""
    if argument.isascii() or _is_text(argument):
        return argument
    from ohara.git import decode

    return decode.text(os.fsencode(argument))


def decoded_words(argument: str) -> str:
    """A part of a query: a filter is decoded as a whole, of other text each word by itself."""
    if argument.isascii() or _is_text(argument):
        return argument
    if _FILTER.match(argument):
        return decoded(argument)
    return _BY_ITSELF.sub(lambda word: decoded(word[0]), argument)


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True
