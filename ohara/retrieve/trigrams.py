"""Computes which trigrams a text must contain for a pattern to match it. Pure.

The answer is a formula of trigrams joined by "all of" and "either of". It may ask for too little, which
costs time (every candidate is verified), but never for a trigram that some match lacks, which would cost
answers. Trigrams are compared as the index compares them, without regard to case. The method is Russ
Cox's: for each part of an expression, the few texts it can be, or else how those texts may begin and end
and what they must contain in between.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.retrieve.expression import Unreadable, read_expression
from ohara.retrieve.expression_tree import Character, Choice, Place, Repeat, Sequence
from ohara.store.trigram_query import ANYTHING, All, all_of, count_trigrams, either_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.model import Pattern
    from ohara.retrieve.expression_tree import Tree
    from ohara.store.trigram_query import Formula


# More alternatives than these read more of the index than they save; as in Google Code Search.
_MOST_TEXTS = 8
_MOST_ENDS = 20

# Each further trigram of a long text rules out next to nothing and costs one more look into the index.
_MOST_OF_ONE_TEXT = 12

# What one question to the index may hold at most; beyond it, alternatives are given up for a scan.
_MOST_TRIGRAMS = 240


def required_trigrams(pattern: Pattern) -> Formula:
    """The trigrams that every changed line which the pattern matches must contain."""
    if not pattern.is_regex:
        return text_trigrams(pattern.text)
    try:
        expression = read_expression(pattern.text, any_case="i" in pattern.flags)
    except Unreadable:
        return ANYTHING
    return _bounded(_need(_analyse(expression.tree)))


def text_trigrams(text: str) -> Formula:
    """The trigrams of a text, some of them evenly spread where there are many."""
    folded = "".join(char.lower() if char.isascii() else char for char in text)
    # The index leaves NUL out, so what stands around one is not what stood there.
    found = [run[at : at + 3] for run in folded.split("\0") for at in range(len(run) - 2)]
    if len(found) > _MOST_OF_ONE_TEXT:
        last = len(found) - 1
        found = [found[place * last // (_MOST_OF_ONE_TEXT - 1)] for place in range(_MOST_OF_ONE_TEXT)]
    return all_of(found)


def _bounded(formula: Formula) -> Formula:
    """The formula, cut to what one query of the index may hold."""
    if count_trigrams(formula) <= _MOST_TRIGRAMS:
        return formula
    if not isinstance(formula, All):
        return ANYTHING
    kept: list[Formula] = []
    left = _MOST_TRIGRAMS
    for part in sorted(formula.parts, key=count_trigrams):
        left -= count_trigrams(part)
        if left < 0:
            break
        kept.append(part)
    return all_of(kept)


# -- what is known of a part ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """The texts that a part can be; or, where they are too many, their beginnings, ends and needs.

    An empty beginning or end says nothing about it.
    """

    texts: frozenset[str] | None
    begins: frozenset[str]
    ends: frozenset[str]
    need: Formula


_UNKNOWN_END = frozenset([""])
_UNKNOWN = _Known(None, _UNKNOWN_END, _UNKNOWN_END, ANYTHING)


def _exactly(texts: frozenset[str]) -> _Known:
    return _Known(texts, texts, texts, ANYTHING)


def _need(known: _Known) -> Formula:
    return known.need if known.texts is None else _one_of(known.texts)


def _one_of(texts: Iterable[str]) -> Formula:
    return either_of(text_trigrams(text) for text in sorted(texts))


def _analyse(tree: Tree) -> _Known:
    match tree:
        case Character(among):
            return _UNKNOWN if among is None else _exactly(among)
        case Place():
            return _exactly(frozenset([""]))
        case Sequence(parts):
            return _in_order(map(_analyse, parts))
        case Choice(parts):
            return _either([_analyse(part) for part in parts])
        case Repeat(part, least, most):
            return _repeated(part, least, most)


def _in_order(parts: Iterable[_Known]) -> _Known:
    whole = _exactly(frozenset([""]))
    pieces: list[str] = []  # single texts gathered: a long literal is not built one character at a time
    for part in parts:
        if part.texts is not None and len(part.texts) == 1:
            pieces.extend(part.texts)
            continue
        if pieces:
            whole = _joined(whole, _exactly(frozenset(["".join(pieces)])))
            pieces = []
        whole = _joined(whole, part)
    return _joined(whole, _exactly(frozenset(["".join(pieces)]))) if pieces else whole


def _joined(left: _Known, right: _Known) -> _Known:
    """What is known of one part followed by another."""
    if left.texts is not None and right.texts is not None:
        if len(left.texts) * len(right.texts) <= _MOST_TEXTS:
            return _exactly(frozenset(map("".join, product(left.texts, right.texts))))
        left, right = _loosened(left), _loosened(right)
    elif left.texts is not None:
        if len(left.texts) * len(right.begins) <= _MOST_ENDS:
            begins = frozenset(map("".join, product(left.texts, right.begins)))
            return _trimmed(begins, right.ends, all_of([right.need, _one_of(begins)]))
        left = _loosened(left)
    elif right.texts is not None:
        if len(left.ends) * len(right.texts) <= _MOST_ENDS:
            ends = frozenset(map("".join, product(left.ends, right.texts)))
            return _trimmed(left.begins, ends, all_of([left.need, _one_of(ends)]))
        right = _loosened(right)
    need = [left.need, right.need]
    if len(left.ends) * len(right.begins) <= _MOST_ENDS:
        need.append(_one_of(map("".join, product(left.ends, right.begins))))
    return _Known(None, left.begins, right.ends, all_of(need))


def _loosened(known: _Known) -> _Known:
    """The same knowledge without the list of texts."""
    return known if known.texts is None else _trimmed(known.texts, known.texts, _one_of(known.texts))


def _trimmed(begins: frozenset[str], ends: frozenset[str], need: Formula) -> _Known:
    """Knowledge whose ends are as long as a trigram across a joint can use, and few."""
    for length in (2, 1, 0):
        short = frozenset(text[:length] for text in begins)
        if len(short) <= _MOST_ENDS:
            break
    for length in (2, 1, 0):
        shorter = frozenset(text[-length:] if length else "" for text in ends)
        if len(shorter) <= _MOST_ENDS:
            break
    return _Known(None, short, shorter, need)


def _either(options: list[_Known]) -> _Known:
    listed = [option.texts for option in options if option.texts is not None]
    if len(listed) == len(options) and len(texts := frozenset().union(*listed)) <= _MOST_TEXTS:
        return _exactly(texts)
    loose = [_loosened(option) for option in options]
    begins = frozenset(begin for option in loose for begin in option.begins)
    ends = frozenset(end for option in loose for end in option.ends)
    return _trimmed(begins, ends, either_of(option.need for option in loose))


def _repeated(part: Tree, least: int, most: int | None) -> _Known:
    if most == 0:
        return _exactly(frozenset([""]))
    once = _analyse(part)
    if least == 0:
        if most == 1 and once.texts is not None and len(once.texts) < _MOST_TEXTS:
            return _exactly(once.texts | {""})
        return _UNKNOWN
    copies = min(least, 3)  # three of anything make a trigram
    known = _in_order([once] * copies)
    if least == most == copies:
        return known
    known = _loosened(known)
    return _Known(None, known.begins, known.ends, known.need)
