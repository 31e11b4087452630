"""What a model reads of a hunk, and how the embedded models cut text into words.

Pure, and frozen with the weights: the embedded models were trained on exactly these texts, so a change
here changes what every stored vector means and needs new weights. That is why the splitting rule is
kept here rather than shared with the text lane, whose rule may move on its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Which texts of a commit have vectors: raised when that changes, so that indexes make what they lack.
VECTORS_VERSION = 2

# The hunks of a commit that its own vector is made from: a sweep through the tree says one thing often.
CHANGE_HUNKS = 60

# Long enough for any name a person types; longer runs are hashes, keys and encoded data.
MAX_WORD = 40

# The embedded cross-encoder reads 112 tokens of a pair: about this many characters of changed code reach it.
RERANK_CHARS = 600

# A longer query would push the document out of those tokens.
RERANK_QUERY_WORDS = 40

_WORD = re.compile(r"[^\W_]+")
_SEPARATED = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)) + bytes(range(128, 256))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def raw_words(text: str) -> list[str]:
    """Returns the runs of letters and digits in `text`, as written; punctuation and underscores part them."""
    if text.isascii():  # in a third of the time
        return text.encode().translate(_SEPARATED).decode().split()
    return _WORD.findall(text)


def split_word(word: str) -> list[str]:
    """Returns the lower-case parts of one run: `getHTTPResponse2` gives get, http, response, 2.

    Runs longer than any real name give nothing; runs beyond ASCII stay whole, since their case says less.
    """
    if len(word) > MAX_WORD:
        return []
    if not word.isascii() or word.isdigit() or (word.isalpha() and word.islower()):
        return [word.lower()]
    return [part.lower() for part in _PART.findall(word)]


def prepared(text: str) -> str:
    """Returns `text` as the embedded models read it: lower-case parts of words, one space between them."""
    return " ".join(part for word in raw_words(text) for part in split_word(word))


def document_text(body: str) -> str:
    """Returns the lines of a hunk in unified form that the vector lane embeds: the changed ones, unsigned.

    Only content goes in, never the message, path or header, so that identical content has one vector.
    """
    sign = body[:1]
    if sign in ("+", "-") and body.count("\n") == body.count(f"\n{sign}"):  # a new file: no line is looked at
        return body[1:].replace(f"\n{sign}", "\n")
    return "\n".join([line[1:] for line in body.split("\n") if line[:1] in ("+", "-")])


def change_text(hunks: Iterable[tuple[str, str, str]]) -> str:
    """Returns what the vector of a whole commit is made from: path, header and changed lines of its hunks."""
    return "\n".join(
        part for path, header, body in hunks for part in change_parts(path, header, document_text(body))
    )


def change_parts(path: str, header: str, document: str) -> tuple[str, str]:
    """Returns what a hunk with such a `document_text` adds to the text of its commit, as parts of it."""
    return f"{path} {header}", document


def rerank_text(query: str, subject: str, path: str, symbol: str, body: str) -> str:
    """Returns the document a cross-encoder reads for a hunk: subject, path, symbol, then changed lines.

    Changed lines keep their sign and order. When they are more than the model can read, those that share
    most words with the query are kept. An empty subject gives the message-blind form.
    """
    head = [part for part in (subject.strip(), path, symbol.strip()) if part]
    changed = [f"{line[0]} {line[1:].strip()}" for line in body.split("\n") if line[:1] in ("+", "-")]
    return "\n".join(head + _focused(query, [line for line in changed if len(line) > 2]))


def prepared_query(query: str) -> str:
    """Returns a query as the embedded cross-encoder reads it: its first words, in their parts."""
    return " ".join(prepared(query).split()[:RERANK_QUERY_WORDS])


def prepared_document(text: str) -> str:
    """Returns a `rerank_text` as the embedded cross-encoder reads it.

    Words are split as for the static model; a plus or minus stands where the side of the change turns,
    and a full stop after each line that is not of the change.
    """
    out: list[str] = []
    side = ""
    for line in text.split("\n"):
        sign = line[:2] if line[:2] in ("+ ", "- ") else ""
        words = prepared(line)
        if not words:
            continue
        if sign and sign != side:
            out.append(sign.strip())
        side = sign
        out.append(words if sign else f"{words} .")
    return " ".join(out)


def _focused(query: str, lines: Sequence[str]) -> list[str]:
    """Returns at most `RERANK_CHARS` of `lines`, those sharing most words with the query, in their order."""
    if sum(map(len, lines)) <= RERANK_CHARS:
        return list(lines)
    wanted = {part for part in prepared(query).split() if len(part) > 2}
    shared = [len(wanted.intersection(prepared(line).split())) for line in lines]
    kept: list[int] = []
    room = RERANK_CHARS
    for index in sorted(range(len(lines)), key=lambda index: (-shared[index], index)):
        if room <= 0:
            break
        kept.append(index)
        room -= len(lines[index])
    return [lines[index][:RERANK_CHARS] for index in sorted(kept)]
