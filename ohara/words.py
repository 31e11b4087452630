"""Turns prose and code into the words that are indexed and looked up.

The indexer feeds on the order of a hundred megabytes of diff through here, so the common case is three
passes in C (translate, split, join) and one dictionary look-up a word; analysis proper runs once for each
distinct word. The same analysis serves queries: what is indexed and what is asked for cannot drift apart.

Words come out case-folded and separated by single spaces, made only of letters, digits, `_` and a leading
`#`, which is what the store's tokenizer keeps together. It ranks nothing, knows no query syntax, and drops
nothing but separators and what is too long to be a word: stop words leave queries, never the index.

    plain words            the stem only              Fixtures → fixtur
    identifiers            whole, then stemmed parts  getHTTPResponse2 → gethttpresponse2 get http respons 2
                           and the whole's stem       useState → usestate usest use state
    numbers, hex digests   whole                      3f2a91c → 3f2a91c
    versions, decimals     whole and in parts         2.7 → 2_7 2 7
    issue numbers          with and without the sign  #123 → #123 123
    scripts without spaces overlapping pairs          東京都 → 東京 京都
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

WORDS_VERSION = 2
"""Part of the index fingerprint: raise it whenever the same text would give other words."""

# Longer than nearly every identifier that people write; what is longer is encoded data or a sentence in
# snake case, of which the parts are kept.
LONGEST_WORD = 64

# The mean length of a part below which a long mixed word is noise (base64 averages under two letters
# between changes of case) and not a sentence.
_SENTENCE_PART = 3

CACHED_RUNS = 150_000
"""How many distinct words to remember before starting afresh: pytest's history holds 130,000, in 20 MB."""

# Identifiers are new and their parts are not: of those, few are in use at a time.
_CACHE_STEMS = 50_000

_COMMON = """
    a about after again all also am an and any are as at be because been before being between both but by
    can could d did do does doing don during each few for from further had has have having he her here hers
    him his how i if in into is it its just let ll may me might more most must my no nor not now of off on
    once only or other our out over own please s same shall she should so some such t than that the their
    them then there these they this those through to too under until up us ve very was we were what when
    where which while who whom whose why will with would you your
"""

STOP_WORDS = frozenset(_COMMON.split())
"""Words too common in questions to tell one change from another."""

# Of ASCII everything but letters, digits, "_" and "#" becomes a space, so that str.split does the rest. Done
# on bytes because that is fastest, and UTF-8 leaves everything beyond ASCII alone.
SEPARATED = bytes(
    code if code >= 128 or chr(code).isalnum() or chr(code) in "_#" else ord(" ") for code in range(256)
)

APART = "\0"
"""Stands between texts whose runs are asked for together."""

_BETWEEN_TEXTS = f"\n{APART}\n"
_SEPARATED_APART = SEPARATED.replace(b" ", APART.encode(), 1)  # the first of them is where it stands itself

# Python 2.7 is another thing than a 2 and a 7. The dot comes first: that is what the search can jump to.
_POINT = re.compile(rb"\.(?<=[0-9]\.)(?=[0-9])")

_ACCENTS = re.compile("[\u0300-\u036f]+")
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]+")

# Scripts written without spaces, or whose spaced units are phrases (Korean): Thai, Lao, Burmese, Hangul,
# Khmer, kana and Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3105-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Those of them that stay as they are when compatibility forms become plain, and what stands between them.
_PLAIN = "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
_BETWEEN = "\u3001\u3002\u300c\u300d\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"

# Capitals before a plural s (URLs), capitals up to the next word (HTTPResponse), a word, a number. It reads
# a word's shape, in which every letter is "A" or "a" and every digit "0" where the word is not ASCII.
_PARTS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# A digest or object name, not words: needs a digit and a letter, and git abbreviates to seven at least.
_DIGEST = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,64}|0x[0-9a-f]+")

_SHORT_DECIMAL = (
    5  # characters of a decimal that is remembered: the numbers of versions are few, and everywhere
)
_DECIMAL = re.compile(r"[0-9]+(?:_[0-9]+)+\Z", re.ASCII)

_ISSUE_OR_WORD = re.compile(r"#[0-9]+(?![^\W_])|[^#]+")


def index_text(text: str) -> str:
    """The words of a text as one string, for one column of the index."""
    return "".join(map(_CACHE.__getitem__, runs(text))).rstrip()


def runs(text: str) -> list[str]:
    """The runs of word characters of a text, in order."""
    raw = _POINT.sub(b"_", text.encode("utf-8", "surrogatepass"))
    return raw.translate(SEPARATED).decode("utf-8", "surrogatepass").split()


def runs_apart(texts: Sequence[str]) -> list[str]:
    """The runs of several texts, with `APART` between those of one and of the next.

    A hunk is four short texts: to ask for them one by one takes twice as long.
    """
    joined = _BETWEEN_TEXTS.join(texts)
    if joined.count(APART) >= len(texts):  # a text has one itself, where it parts words as a blank does
        joined = _BETWEEN_TEXTS.join([text.replace(APART, " ") for text in texts])
    raw = _POINT.sub(b"_", joined.encode("utf-8", "surrogatepass"))
    return raw.translate(_SEPARATED_APART).decode("utf-8", "surrogatepass").split()


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct words of a text in order, without stop words unless there is nothing else."""
    words = dict.fromkeys(index_text(text).split())
    stop_stems = _stop_stems()
    telling = tuple([word for word in words if word not in stop_stems])
    return telling or tuple(words)


class _Words(dict[str, str]):
    """Each run of word characters met so far, with its index words."""

    def __missing__(self, run: str) -> str:
        found, is_kept = analysed(run)
        if is_kept:
            if len(self) >= CACHED_RUNS:
                self.clear()
            self[run] = found
        return found


def analysed(run: str) -> tuple[str, bool]:
    """The index words of a run, each followed by a space, and whether they are worth remembering.

    What makes up most of a text that says nothing twice (plain words, numbers, sentences without spaces) has
    its words without the whole analysis. Measurements and sentences are not kept: they would crowd out names.
    """
    if len(run) > LONGEST_WORD:
        return _joined(run), False
    if run.isascii():
        if run.isalpha() and run.islower():
            return _stem(run) + " ", True
        if run.isdigit():
            return run + " ", True
        if _DECIMAL.match(run):
            return f"{run} {run.replace('_', ' ')} ", len(run) <= _SHORT_DECIMAL
    elif _scripts().text.fullmatch(run):
        return "".join(map(_pairs_text, _scripts().plain.findall(run))), False
    return _joined(run), True


class _Stems(dict[str, str]):
    """The stems of the parts of identifiers: identifiers are new every day, their parts are not."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _CACHE_STEMS:
            self.clear()
        found = self[part] = _stem(part.casefold())
        return found


_CACHE = _Words()
_PART_STEMS = _Stems()


class _Scripts(NamedTuple):
    """What tells scripts without spaces: runs of plain characters, text of these, a beginning, all runs."""

    plain: re.Pattern[str]
    text: re.Pattern[str]
    start: re.Pattern[str]
    runs: re.Pattern[str]


@cache
def _scripts() -> _Scripts:
    # When a word that is not ASCII comes: compiling these takes longer than loading the whole module.
    return _Scripts(
        plain=re.compile(f"[{_PLAIN}]+"),
        text=re.compile(f"[{_PLAIN}{_BETWEEN}]+"),
        start=re.compile(f"[{_UNSPACED}]"),
        runs=re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+"),
    )


@cache
def _any_run() -> re.Pattern[str]:
    # Python's \w leaves out the vowel signs that stand inside words of many scripts.
    marks = "".join(char for char in map(chr, range(0x300, 0xFE30)) if unicodedata.category(char)[0] == "M")
    return re.compile(rf"[\w#{marks}]+")


def _joined(run: str) -> str:
    words = _spaced(run) if run.isascii() and "#" not in run else _analyse(run)
    return "".join([word + " " for word in words])


def _analyse(run: str) -> Iterator[str]:
    for word in _ISSUE_OR_WORD.findall(run) if run.isascii() else _foreign_words(run):
        if word[0] == "#":
            if len(word) <= LONGEST_WORD:
                yield from (word, word[1:])
        elif not word.isascii() and _scripts().start.match(word):
            yield from _pairs(word)
        else:
            yield from _spaced(word)


def _foreign_words(run: str) -> Iterator[str]:
    # Compatibility forms become the plain ones and accents go; then Hangul and kana are put together again.
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", _INVISIBLE.sub("", run)))
    for inner in _any_run().findall(unicodedata.normalize("NFC", plain)):
        for word in _ISSUE_OR_WORD.findall(inner):
            yield from [word] if word.isascii() else _scripts().runs.findall(word)


def _spaced(word: str) -> list[str]:
    """The index words of one word in a script that puts spaces between words."""
    folded = word.casefold()
    is_long = len(word) > LONGEST_WORD
    if not is_long and not word.isalpha() and _DIGEST.fullmatch(folded):
        return [folded]
    parts = _parts(word)
    if len(parts) == 1 and len(parts[0]) == len(word):
        return [] if is_long else [_stem(folded)]
    if is_long:
        if len(word) < len(parts) * _SENTENCE_PART:
            return []
        return [_PART_STEMS[part] for part in parts if len(part) <= LONGEST_WORD]
    if not parts:
        return []
    words = [folded]
    # Who types "usestate" asks for a plain word, which is stemmed: let that find useState. One word in a
    # hundred of a JavaScript history.
    if word.isalpha() and (stem := _stem(folded)) != folded:
        words.append(stem)
    words += map(_PART_STEMS.__getitem__, parts)
    return words


def _pairs(run: str) -> Iterable[str]:
    return map(str.__add__, run, run[1:]) if len(run) > 1 else (run,)


def _pairs_text(run: str) -> str:
    return " ".join(_pairs(run)) + " "


def _parts(word: str) -> list[str]:
    if word.isascii():
        return _PARTS.findall(word)
    shape = "".join(map(_shape, word))
    return [word[found.start() : found.end()] for found in _PARTS.finditer(shape)]


def _shape(char: str) -> str:
    if char == "_":
        return char
    if char.isdecimal():
        return "0"
    return "A" if char.isupper() else "a"


def _stem(folded: str) -> str:
    return _stemmer()(folded)


@cache
def _stemmer() -> Callable[[str], str]:
    from py_rust_stemmers import SnowballStemmer  # only those who analyse pay for loading it

    stem: Callable[[str], str] = SnowballStemmer("english").stem_word
    return stem


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(map(_stem, STOP_WORDS))
