"""Reads what a question wants to know of a thing: when it began, when it ended, or why.

Pure, by words of English alone. "nose plugin removed" and "where did test_black go" ask for an ending,
"who added tmp_path" and "memory command introduced" for a beginning, "why …" for a cause. A word of asking
counts only where it carries the question: in a sentence that asks, as the last word of a short phrase, or
before the name of a thing ("remove nose plugin"). In the middle of a longer text ("the value that was added
is cached") it tells what happened and not what is asked, and before more than a name ("add support for
optional attributes") it describes a change as its message would.
"""

from __future__ import annotations

import re

from ohara.model import Intent
from ohara.records import dataclass

_BEGINNING = """
    add added adds adding introduce introduced introduces introducing introduction create created creation
    implement implemented write wrote written appear appeared arrive arrived began begin begins begun start
    started starts first originate originated origin initial
"""
_ENDING = """
    remove removed removes removing removal drop dropped drops dropping delete deleted deletes deleting
    deletion gone disappear disappeared vanish vanished kill killed retire retired discontinue discontinued
    abandon abandoned stopped ended purged
"""
_REMOVING = """
    remove removes removed removing removal drop drops dropped dropping
    delete deletes deleted deleting deletion
"""
_NOUNS = "introduction creation origin first initial removal deletion"
_CAUSE = "why reason reasons rationale motivation because cause caused"
_ASKING = "who when where why which what whose how since"

# Around the thing that is asked about: never part of its name.
_FRAME = """
    a an the this that was were is are be been being did do does has have had we you they it its there our us
    one anybody somebody ever actually originally finally commit commits change version release pr patch in to
    of for from by with at on and use used using get got support supported supports come came longer no not
"""

_KINDS_OF_THINGS = """
    api argument attribute class command config constant decorator dependency dir directory feature field file
    fixture flag folder function hook library macro method module option package parameter plugin property
    script setting struct symbol test tests tool type variable
"""

BEGINNING, ENDING, CAUSE = (frozenset(words.split()) for words in (_BEGINNING, _ENDING, _CAUSE))
ASKING = frozenset(_ASKING.split())
REMOVING = tuple(_REMOVING.split())
NOUNS = frozenset(_NOUNS.split())  # ask at the beginning of any short phrase: "removal of the nose plugin"
FRAME = frozenset(_FRAME.split()) | ASKING

KINDS_OF_THINGS = frozenset(_KINDS_OF_THINGS.split())
"""Words that say what sort of thing is meant; its name is beside them."""

# Before "replaced" these tell of no ending ("X is not replaced"), or describe a change ("X was replaced").
_NO_ENDING = rf"(?:{_ASKING.replace(' ', '|')}|is|are|was|were|be|been|being|gets?|has|have|not|never|to)\b"

# Said of a thing in its last words: "where did X go", "what happened to X", "X replaced by Y",
# "what replaced X".
_ENDED = re.compile(
    r"^(?:where|when) (?:did|has|have|does) (?P<gone>.+) (?:go|gone|vanish|disappear)\W*$"
    r"|^what (?:happened to|became of) (?P<became>.+?)\W*$"
    r"|^(?P<replaced>.+?) (?:(?:was|were|is|has been|got) )?(?:replaced|superseded) (?:by|with) .+$"
    r"|^(?:what|who) (?:has )?(?:replace[ds]|supersede[ds]) (?P<successor>.+?)\W*$"
    r"|^(?:when|what) (?:was|were|did|has|have) (?P<asked>.+?) "
    r"(?:been |get )?(?:replaced|superseded)(?: by| with)?[\s?!]*$"
    rf"|^(?:the )?(?P<last>(?:(?!{_NO_ENDING})\S+ ){{1,2}})(?:replaced|superseded)[\s?!]*$"
    r"|^(?:when did we |who )?(?:get|got) rid of (?P<rid>.+?)\W*$",
    re.IGNORECASE,
)
_BEGUN = re.compile(
    r"^since when (?:(?:is|are|was|were) there )?(?:(?:do|did|does|can|have|has) (?:(?:we|you|one|it) )?)?"
    r"(?P<since>.+?)\W*$"
    r"|^(?:when did we |who )?start(?:ed)? using (?P<using>.+?)\W*$"
    r"|^where (?:does|did) (?P<came>.+?) come from\W*$",
    re.IGNORECASE,
)

# A description of a change that takes something away, as its message or a changelog would have it: a verb at
# its beginning, behind a scope ("http: remove …") where there is one, or what was done to a thing.
_REMOVED = re.compile(
    rf"^\W*(?:[\w./()!*-]+: *|\[[^\]]*\] *)?(?:\w+ly )?(?:{'|'.join(REMOVING)})\b"
    r"|\b(?:has|have|was|were|is|are) (?:now |been |finally )*(?:removed|dropped|deleted)\b",
    re.IGNORECASE,
)

_LONGEST_PHRASE = 6  # words of a phrase that a verb at its end is about
_LONGEST_COMMAND = 3  # words of one that a verb at its beginning is about, without articles
_ARTICLES = frozenset({"a", "an", "the"})
_LONGEST_QUESTION = 14

_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^[\s(\"'`]+|[\s?!.,;:)\"'`]+$")


@dataclass(frozen=True, slots=True)
class Aim:
    """What is asked about which thing: the words that may name it, and those that tell it from others."""

    intent: Intent
    subject: tuple[str, ...] = ()
    thing: tuple[str, ...] = ()


def read_intent(words: str, intent: Intent | None = None) -> Aim:
    """What a question's words ask; `intent` is what they ask for whatever they say."""
    text = " ".join(words.split())
    parts = [word for word in map(_bare, _WORD.findall(text)) if word]
    read, about = _read(text, parts)
    chosen = read if intent is None else intent
    if chosen is Intent.NONE:
        return Aim(Intent.NONE)
    asked = BEGINNING | ENDING | CAUSE if read is not Intent.NONE else frozenset[str]()
    subject = tuple(word for word in about if word.lower() not in FRAME | asked)
    if not subject:
        return Aim(Intent.NONE)
    thing = tuple(word for word in subject if word.lower() not in KINDS_OF_THINGS)
    return Aim(chosen, subject, thing or subject)


def describes_removal(words: str) -> bool:
    """True when words that ask nothing tell of a change that took something away."""
    return bool(_REMOVED.search(words))


def _read(text: str, parts: list[str]) -> tuple[Intent, list[str]]:
    """The intent, and the words among which the thing is."""
    if not 1 < len(parts) <= _LONGEST_QUESTION:
        return Intent.NONE, parts
    if ended := _ENDED.match(text):
        return Intent.ENDING, _words_of(ended)
    if begun := _BEGUN.match(text):
        return Intent.BEGINNING, _words_of(begun)
    folded = [word.lower() for word in parts]
    asks = folded[0] in ASKING
    short = len(parts) <= _LONGEST_PHRASE
    is_command = sum(word not in _ARTICLES for word in folded) <= _LONGEST_COMMAND
    ends = {folded[0], folded[-1]} if is_command or folded[0] in NOUNS else {folded[-1]}
    carrying = set(folded) if asks else ends if short else set()
    if carrying & ENDING:
        return Intent.ENDING, parts
    if carrying & BEGINNING:
        return Intent.BEGINNING, parts
    if asks and carrying & CAUSE:
        return Intent.CAUSE, parts
    return Intent.NONE, parts


def _words_of(match: re.Match[str]) -> list[str]:
    named = next(filter(None, match.groups()))
    return [word for word in map(_bare, named.split()) if word]


def _bare(word: str) -> str:
    return _EDGE.sub("", word).removesuffix("(")
