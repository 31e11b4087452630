"""What differs between two versions and need not be parsed: statements without the pattern's words. Pure.

No match is in them. Whether what stands around them is parsed as before is told at a glance: they open
nothing that they do not close, begin and end as statements do, and so does what is above and below. In code
that is sound that is all; what is broken in another way spoils no more than its neighbours, which are parsed
together with it as soon as one of them is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.structural.outline import Item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.structural.aligning import Region

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("/*", "*/"))
_EVEN = {
    "go": ("`", '"'), "java": ('"',), "javascript": ("`", '"'), "c": ('"',),
    "python": ('"""', "'''", '"'), "rust": ('"',), "tsx": ("`", '"'), "typescript": ("`", '"'),
}  # fmt: skip
_CONTINUES = re.compile(
    r"(?:else|elif|except|finally|catch|case|default|while|and|or|in|is|instanceof|of|as|where)\b"
)
_BEGINS = re.compile(r"[^\W\d]|[@\"']")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|el|end)", re.MULTILINE)
_ENDS = {"go": re.compile(r"[\w)\]}\"`']\Z"), "python": re.compile(r"[^\\:,=+\-*/%&|^<>.@]\Z")}
_ENDS_ELSEWHERE = re.compile(r"[;},]\Z")
_LOOKED_AT = 4_000  # characters at either end: who has nothing but comments there is not told


def without_reading(
    items: Sequence[Item], regions: Sequence[Region], text: str, atoms: Sequence[str], language: str
) -> tuple[Sequence[Item], Sequence[Region]]:
    """Items of a version, those that need not be read as a text has them, and the regions that are left."""
    told: list[Item] = []
    others: list[Region] = []
    kept = 0
    for region in regions:
        told += items[kept : region.first]
        kept = region.last
        code = text[region.start : region.end]
        if not all(atom in code for atom in atoms) and _is_apart(items, region, code, language):
            told += [Item(code, "", _lead(code), read=False)] if code else []
        else:
            others.append(region._replace(first=len(told), last=len(told) + region.last - region.first))
            told += items[region.first : region.last]
    told += items[kept:]
    return told, others


def _is_apart(items: Sequence[Item], region: Region, code: str, language: str) -> bool:
    """Whether what differs is whole statements between whole statements, before and now."""
    left = items[region.first - 1] if region.first else None
    right = items[region.last] if region.last < len(items) else None
    near = [item for item in (left, right) if item is not None]
    return (
        bool(near)
        and not any(item.broken for item in items[region.first : region.last])
        and not any(item.broken or _takes_what_follows(item) for item in near)
        and _opens_nothing(code, language)
        and _begins_statement(code, language, _indent_of(near[0].text, near[0].lead))
        and _ends_statement(code, language)
        and (left is None or _ends_statement(left.text, language))
        and (right is None or _begins_statement(right.text, language))
    )


def _takes_what_follows(item: Item) -> bool:
    """Whether statements below an item may belong to it."""
    return "case" in item.kind or "label" in item.kind or "default" in item.kind


def _lead(code: str) -> int:
    """How many empty lines a text begins with."""
    return code[: len(code) - len(code.lstrip())].count("\n")


def _opens_nothing(text: str, language: str) -> bool:
    """Whether some code has as many brackets and quotes that open as there are that close; soon told."""
    return (
        language in _EVEN
        and all(text.count(opening) == text.count(closing) for opening, closing in _PAIRS)
        and not any(text.count(quote) % 2 for quote in _EVEN[language])
        and not (language == "c" and "#" in text and _CONDITION.search(text))
    )


def _begins_statement(text: str, language: str, indent: str | None = None) -> bool:
    """Whether the first line that is no comment begins something, and does not go on with what is above.

    With an `indent`, it must be that of a line, and no line may be further out, where that has a meaning.
    """
    code = line = ""
    for line in text[:_LOOKED_AT].split("\n"):
        code = line.lstrip()
        if code and not _is_comment(code):
            break
    else:
        return len(text) <= _LOOKED_AT
    if not _BEGINS.match(code) or _CONTINUES.match(code):
        return False
    if language != "python" or indent is None:
        return True
    return line[: len(line) - len(code)] == indent and all(
        line.startswith(indent) or not line or line.isspace() for line in (text.split("\n") if indent else ())
    )


def _ends_statement(text: str, language: str) -> bool:
    """Whether the last line that is no comment ends something that what is below does not go on with."""
    for line in reversed(text[-_LOOKED_AT:].split("\n")):
        code = line.strip()
        if code.startswith(("@", "#[")) or code.endswith("\\"):
            return False
        if code and not _is_comment(code):
            return bool(_ENDS.get(language, _ENDS_ELSEWHERE).search(code))
    return len(text) <= _LOOKED_AT


def _is_comment(code: str) -> bool:
    return code.startswith(("#", "//", "/*", "* ", "*/")) or code == "*"


def _indent_of(text: str, lead: int) -> str:
    """What stands before the code in a line of a text, the first being 0."""
    line = text.split("\n", lead + 1)[lead]
    return line[: len(line) - len(line.lstrip())]
