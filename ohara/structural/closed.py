"""Whether some code opens nothing that it does not close, as far as can be seen without parsing it. Pure."""

from __future__ import annotations

import re
from functools import cache

_QUOTED = r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\""""
_COMMENT = r"//[^\n]*+|/\*.*?\*/"
_THRICE = r"""\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}"""
_BRACKETS = {")": "(", "]": "[", "}": "{"}


_SCRIPT = (_COMMENT, r"`(?:[^`\\]|\\.)*+`", _QUOTED)
_ONE_LINE = r"(?!\"{3}|'{3})(?:" + _QUOTED + ")"
# Texts and comments that end, and how those begin that do not.
_TOKENS = {
    "c": ((_COMMENT, _QUOTED), r"/\*"),
    "go": ((_COMMENT, r"`[^`]*+`", _QUOTED), r"`|/\*"),
    "java": ((_COMMENT, _THRICE, _QUOTED), r'"""|/\*'),
    "javascript": (_SCRIPT, r"`|/\*"),
    "python": ((r"#[^\n]*+", _THRICE, _ONE_LINE), r"\"{3}|'{3}"),
    "rust": (
        (_COMMENT, r'r(?P<hashes>#+)".*?"(?P=hashes)', r'"(?:[^"\\]|\\.)*+"', r"'(?:[^'\\\n]|\\[^\n]{1,9})'"),
        r'"|/\*',
    ),
    "tsx": (_SCRIPT, r"`|/\*"),
    "typescript": (_SCRIPT, r"`|/\*"),
}


@cache
def _tokens(language: str) -> re.Pattern[str]:
    complete, opening = _TOKENS[language]
    return re.compile(rf"{'|'.join(complete)}|(?P<open>{opening})|[()\[\]{{}}]", re.DOTALL)


def is_closed(text: str, language: str) -> bool:
    """Whether every text, comment and bracket that begins in some code ends there, as far as can be seen."""
    if language not in _TOKENS:
        return False
    opened: list[str] = []
    for token in _tokens(language).finditer(text):
        if token["open"]:
            return False
        if token[0] in _BRACKETS:
            if not opened or opened.pop() != _BRACKETS[token[0]]:
                return False
        elif len(token[0]) == 1:
            opened.append(token[0])
    return not opened
