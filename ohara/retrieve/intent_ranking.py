"""Finds the turning points that a question asks for: where a thing began, where it ended, or why it changed.

A beginning is the oldest commit whose added lines hold the thing, an ending the newest whose removed lines
do. Lanes rank by relevance, which knows neither sides nor ages: so the oldest or newest hunks that hold it
are looked up beside what the lanes found, and all of them are ordered by what speaks for a turning point.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.model import ChangeKind, Intent, Pattern
from ohara.query.intent import read_intent
from ohara.records import dataclass, replace
from ohara.retrieve.intent_target import Thing, index_words
from ohara.retrieve.order_by_age import newest_first, places_within_second
from ohara.retrieve.priors import Priors
from ohara.retrieve.ranking import ScoredHunk
from ohara.retrieve.trigrams import required_trigrams
from ohara.store.answers import holds_change, lines_of_side
from ohara.store.trigram_query import all_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId, Query
    from ohara.query.intent import Aim
    from ohara.store.answers import Occurrence, StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

NAME = "intent"

# Hunks looked up for each question, by lines, by path and by symbol.
BY_LINES, BY_PATH, SYMBOLS = 40, 40, 12

# A word in more hunks than these names no one thing, and sorting them all by age takes too long.
MOST_HUNKS = 30_000

# What speaks for a turning point, and how much: relevance, the right side, a definition or a whole file that
# comes or goes, a message that says so, and being the first or the last of those that hold it.
RELEVANT, SIDE, DEFINED, SAID, AGE = 0.25, 0.35, 0.35, 0.35, 0.6
BOTH_SIDES = 0.3  # of SIDE: lines that were edited
PLAIN_NAME = 0.6  # of DEFINED: a plain word is the name of many things
BESIDE = 0.6  # of the worth of a hunk, in choosing the one that is shown: tests and docs
MENTIONED = 0.4  # of SAID: in the message, but not as the subject's verb
LATER = 0.5  # of AGE: what each further commit that holds it gets
EXPLAINED = 0.15  # what a message that gives reasons adds where a cause is asked for

_BEGINS = re.compile(
    r"\b(?:add|adds|added|adding|introduc\w*|implement\w*|creat\w+|initial|first|new|start\w*|support\w*)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:remov\w+|drop|drops|dropped|dropping|delet\w+|kill\w*|rid|stop\w*|retire\w*|replac\w+|obliterat\w+|"
    r"purg\w+|goodbye|farewell|rm|murder\w*|eliminat\w+|get rid|no more|switch\w*)\b",
    re.IGNORECASE,
)
_REASONS = re.compile(
    r"\b(?:because|since|so that|reason|otherwise|in order to|avoid|instead of|due to|caus\w+|problem)\b",
    re.IGNORECASE,
)
_EXPLAINS_WORDS = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one hunk as a turning point, each between 0 and 1."""

    side: float
    defined: float
    said: float


def look_up(reader: Reader, aim: Aim, thing: Thing, allowed: Allowed) -> list[Occurrence]:
    """The hunks that may be the beginning or the end of a thing: the oldest or newest that hold its words."""
    if aim.intent not in {Intent.BEGINNING, Intent.ENDING} or not thing.words:
        return []
    frequencies = reader.document_frequencies(thing.words)
    if not 0 < min(frequencies.values()) <= MOST_HUNKS:
        return []
    oldest = aim.intent is Intent.BEGINNING
    column = "added" if oldest else "removed"
    found = [
        *reader.holding_all(thing.words, (column,), allowed, oldest=oldest, limit=BY_LINES),
        *reader.holding_all(thing.words, ("path",), allowed, oldest=oldest, limit=BY_PATH),
    ]
    if thing.literals:
        formula = all_of(required_trigrams(Pattern(literal)) for literal in thing.literals)
        spelt = newest_first(reader, reader.by_trigrams(formula, allowed))
        edge = spelt[-BY_LINES:] if oldest else spelt[:BY_LINES]
        found += reader.occurrences(one.hunk for one in edge)
    symbols = [symbol for symbol, _ in reader.symbols_by_words(thing.words, (0.0, 1.0, 0.0), SYMBOLS)]
    touched: dict[int, Occurrence] = {}
    by_hunk: dict[Occurrence, list[int]] = {}
    for at, symbol in reader.touching(symbols, allowed):
        by_hunk.setdefault(at, []).append(symbol)
    for at in newest_first(reader, list(by_hunk)):
        for symbol in by_hunk[at]:
            if oldest or symbol not in touched:
                touched[symbol] = at
    return list({at.hunk: at for at in (*found, *touched.values())}.values())


def turned(
    reader: Reader,
    *,
    query: Query,
    found: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    allowed: Allowed,
) -> tuple[list[ScoredHunk], dict[HunkId, StoredHunk]]:
    """What lanes found and what was looked up, as the query's intent orders them, and the lines of all."""
    aim = read_intent(query.words, query.intent)
    thing = Thing.of(aim)
    there = {one.hunk for one in found}
    others = [at for at in look_up(reader, aim, thing, allowed) if at.hunk not in there]
    read = reader.hydrate(at.hunk for at in others)
    known = {**rows, **{hunk: row for hunk, row in read.items() if holds_change(row.body)}}
    looked_up = [
        ScoredHunk(at.hunk, at.time, at.sha, lanes={NAME: place})
        for place, at in enumerate(others, 1)
        if at.hunk in known
    ]
    every = [*found, *looked_up]
    return ordered_by_intent(aim, thing, every, known, places_within_second(reader, every)), known


def ordered_by_intent(
    aim: Aim,
    thing: Thing,
    found: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    places: Mapping[bytes, int],
) -> list[ScoredHunk]:
    """Hunks with the score that their evidence gives them; hunks of one commit share message and age.

    `places` tell the older of two commits of one second.
    """
    best = max((one.score for one in found), default=0.0) or 1.0
    if aim.intent is Intent.CAUSE:
        return [
            replace(one, score=one.score + best * EXPLAINED * _explains(thing, rows[one.hunk]))
            for one in found
        ]
    evidence = {one.hunk: _evidence(aim.intent, thing, rows[one.hunk]) for one in found}
    ages = _ages(aim.intent, found, evidence, places)
    return [
        _scored(one, evidence[one.hunk], ages.get(one.sha, 0.0), best, _path(rows[one.hunk]))
        for one in found
        if one.lanes.keys() != {NAME} or evidence[one.hunk].side or evidence[one.hunk].defined
    ]


def _scored(one: ScoredHunk, evidence: Evidence, age: float, best: float, path: float) -> ScoredHunk:
    turning = SIDE * evidence.side + DEFINED * evidence.defined + SAID * evidence.said + AGE * age
    score = RELEVANT * one.score / best + turning
    return replace(one, score=score, worth=score * path, below=False)


def _path(row: StoredHunk) -> float:
    """What a hunk is worth among those of its commit: the change itself before its tests and docs."""
    return BESIDE if row.path and Priors().path(row.path) < 1.0 else 1.0


def _ages(
    intent: Intent,
    found: Sequence[ScoredHunk],
    evidence: Mapping[HunkId, Evidence],
    places: Mapping[bytes, int],
) -> dict[bytes, float]:
    """What being early or late is worth to each commit that defines the thing or says so, or else holds it.

    On the right side alone: where lines were edited, nothing begins or ends.
    """
    holding = [one for one in found if evidence[one.hunk].side == 1.0]
    turning = [one for one in holding if evidence[one.hunk].defined or evidence[one.hunk].said == 1.0]
    moments = {one.sha: one.time for one in turning or holding}
    last_first = intent is Intent.ENDING
    order = sorted(moments, key=lambda sha: (moments[sha], places.get(sha, 0), sha), reverse=last_first)
    return {sha: LATER**place for place, sha in enumerate(order)}


def _evidence(intent: Intent, thing: Thing, row: StoredHunk) -> Evidence:
    added, removed = lines_of_side(row.body, "+"), lines_of_side(row.body, "-")
    if intent is Intent.BEGINNING:
        wanted, other, whole, verb = added, removed, ChangeKind.ADDED, _BEGINS
    else:
        wanted, other, whole, verb = removed, added, ChangeKind.DELETED, _ENDS
    here, there = thing.held_by_lines(wanted), thing.held_by_lines(other)
    named = bool(row.path) and row.kind is whole and thing.named_by(row.path)
    moved = intent is Intent.ENDING and row.kind is ChangeKind.RENAMED and thing.named_by(row.old_path or "")
    defined = named or (thing.defined(wanted) and not thing.defined(other))
    return Evidence(
        side=1.0 if named or (here and not there) else BOTH_SIDES if here or moved else 0.0,
        defined=1.0 if named or (defined and thing.patterns) else PLAIN_NAME if defined else 0.0,
        said=_said(thing, row, verb),
    )


def _said(thing: Thing, row: StoredHunk, verb: re.Pattern[str]) -> float:
    subject, message = row.commit.subject, row.commit.message
    if not thing.held(message):
        return 0.0
    if thing.held(subject) and any(
        _close(subject, done.span(), at) for done in verb.finditer(subject) for at in thing.where(subject)
    ):
        return 1.0
    return MENTIONED if verb.search(message) else 0.0


def _close(subject: str, verb: tuple[int, int], thing: tuple[int, int]) -> bool:
    """True when it is done to the thing itself: "drop support for X", "X removed", not "remove X from Y"."""
    if verb[1] <= thing[0]:
        partly = _PARTLY.match(subject, thing[1])
        return not partly and bool(_BETWEEN.fullmatch(subject[verb[1] : thing[0]]))
    return thing[1] <= verb[0] and bool(_BETWEEN.fullmatch(subject[thing[1] : verb[0]]))


# Words between a verb and what it is done to; and behind it, what says that only a part is meant.
_BETWEEN = re.compile(
    r"(?:\W|\b(?:a|an|the|new|old|own|our|all|any|last|support|for|of|eol|deprecated|obsolete|legacy|unused|initial|"
    r"experimental|basic|is|are|was|were|has|have|been|now|command|option|flag|fixture|function|method|class|"
    r"module|plugin|hook|file|code|compatibility|compat)\b)*",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"[`'\"]*(?:\.\w|'s\b|-\w|\W*(?:from|in|to|about|into|on|related|specific)\b)", re.IGNORECASE
)


def _explains(thing: Thing, row: StoredHunk) -> float:
    message = row.commit.message
    long_enough = len(message.split()) >= _EXPLAINS_WORDS
    return float(long_enough and bool(_REASONS.search(message)) and bool(thing.stems & index_words(message)))
