"""Turns a changelog fragment into the sentence a user would ask with.

Pure text in, pure text out. What the author wrote for users stays; what only the changelog's machinery or a
reader of the issue tracker understands goes: markup, front matter, issue numbers, links and credits. Nothing
is rephrased, so a query is never better than its author made it.
"""

from __future__ import annotations

import re

FEWEST_WORDS = 5  # shorter ones ("Fix typo") describe many changes
MOST_WORDS = 60  # longer ones are documentation, not a question

_FRONT_MATTER = re.compile(r"\A\s*---\s*\n.*?\n---\s*(?:\n|\Z)", re.DOTALL)
# `fix: `, `feat(kit)!: `, `[fix] `, `breaking: `: which part of the changelog a line goes to.
_CATEGORY = re.compile(
    r"\A\s*(?:\[[a-z][a-z -]{1,20}\]:?\s+|(?:feat(?:ure)?|fix|chore|docs?|breaking(?: change)?|perf|refactor|"
    r"build|test|style|security|deps|revert|patch|minor|major|bug(?:_|-)?fix)(?:\([^)]*\))?!?:\s+)",
    re.IGNORECASE,
)

_CREDIT_LINES = re.compile(
    r"^\s*(?:authors?|contributed by|credits?|thanks(?: to)?|issues?|pr|patch by|by)\s*:.*$",
    re.IGNORECASE | re.MULTILINE,
)
_NAME = r"(?:`[^`]+`_{0,2}|:\w+:`[^`]+`|@[\w-]+|\[[^\]]+\]\([^)]*\)|[A-Z][\w.'-]*(?:\s+[A-Z][\w.'-]*)*)"
_NAMES = rf"{_NAME}(?:\s*(?:,|and|&|,\s*and)\s*{_NAME})*"
_CREDITS = (
    re.compile(rf"\s(?:--|\u2014|-)\s*(?:by|thanks to|patch by|contributed by)\s+{_NAMES}\.?", re.IGNORECASE),
    re.compile(
        rf"[(\s](?:Thanks,?(?:\s+to)?|Patch by|Contributed by|Reported by|PR by|Fix(?:ed)? by|Credits? to|"
        rf"Courtesy of|Implemented by)\s+{_NAMES}(?:\s+for\s+(?:the|this|his|her|their)\b[^.]*)?[.!)]*"
    ),
    re.compile(rf"\s*\(?\b(?:by|thanks to|thanks)\s+(?:@[\w-]+|:user:`[^`]+`)(?:\s*(?:,|and)\s*{_NAME})*\)?"),
)

_URL = re.compile(r"<?\bhttps?://[^\s>)\]}\"'`]+>?")
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()\s]|\([^)]*\))*(?:\s+\"[^\"]*\")?\)")
_MARKDOWN_REFERENCE = re.compile(r"\[([^\]]+)\]\[[^\]]*\]|^\s*\[[^\]]+\]:\s+\S+.*$", re.MULTILINE)
_RST_TITLED = re.compile(r"(?::[\w:+-]+:)?`([^`<]+?)\s*<[^`>]*>`_{0,2}")
_RST_ISSUE = re.compile(r":(?:issue|pull|pr|gh|user|cve|ghsa|bpo|commit)(?:s)?:`[^`]*`", re.IGNORECASE)
_RST_ROLE = re.compile(r":[a-z][\w:+.-]*:`[~!.]*([^`]+)`", re.IGNORECASE)
_RST_TARGET = re.compile(r"^\s*\.\.\s+_[^:\n]+:.*$", re.MULTILINE)
# With all that is indented below it: code and examples are no part of a question.
_RST_BLOCK = re.compile(
    r"^[ \t]*\.\.[ \t]+(?:code-block|code|sourcecode|tab|figure|image)::.*(?:\n[ \t]*$|\n[ \t]+\S.*)*|"
    r"(?<=:):[ \t]*\n(?:[ \t]*\n)+(?:[ \t]+\S.*(?:\n|\Z)|[ \t]*\n)+",
    re.MULTILINE,
)
_RST_DIRECTIVE = re.compile(r"^\s*\.\.\s+[\w:-]+::|^\s*\.\.\s*$", re.MULTILINE)
_EPYTEXT = re.compile(r"\b[A-Z]\{([^{}]+)\}")  # twisted's older fragments: L{twisted.web.server.Site}
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+|[=~^\"'-]{4,}\s*$)", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[*+-]|\d+[.)])\s+", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")

_ISSUE_WORDS = (
    r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see(?: also)?|refs?|issues?|pr|pull request|bug|gh|ticket)"
)
_ISSUE = r"(?:[\w.-]+/[\w.-]+)?\#\d+|\bGH-?\d+|\b(?:bpo-?)\d{3,}"
_PARENTHESED_ISSUES = re.compile(
    rf"[(\[]\s*(?:{_ISSUE_WORDS}:?\s+)?(?:{_ISSUE})(?:\s*(?:,|;|and|&|/)?\s*(?:{_ISSUE_WORDS}\s+)?(?:{_ISSUE}))*\s*[)\]]",
    re.IGNORECASE,
)
_ISSUES = re.compile(rf"(?:\b{_ISSUE_WORDS}:?\s+)?(?:{_ISSUE})(?!\w)", re.IGNORECASE)
_NUMBERED_ISSUE = re.compile(r"\b(?:issues?|pr|pull request|ticket)\s+\d{2,}\b", re.IGNORECASE)

# "See #1 and #2." without its numbers.
_POINTER = re.compile(
    r"(?:(?<=[.!])\s+|[,;(]\s*|\A)see(?: also)?(?:\s+(?:and|or|,))*\s*(?:[.)]+(?=\s|$)|$)", re.IGNORECASE
)
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;.]?\s*\)(?!\w)|\[\s*\]")
# A call keeps its brackets: `foo()` is a word of the sentence.
_CALL = re.compile(r"(?<=\w)\(\)")
_CALL_MARK = "\x00"


def prose_of(path: str, text: str) -> str:
    """The plain words of a fragment; empty when it has none."""
    if path.endswith((".yaml", ".yml")):
        text = _yaml_note(text)
    text = _FRONT_MATTER.sub("", text.replace("\r\n", "\n"))
    return plain(_CATEGORY.sub("", text))


def is_question(prose: str) -> bool:
    """Whether a fragment's words are few enough to be asked and enough to mean one change."""
    return FEWEST_WORDS <= len(prose.split()) <= MOST_WORDS


def plain(text: str) -> str:
    """One line of words without markup, links, issue numbers and credits."""
    text = _COMMENT.sub(" ", text)
    text = _CREDIT_LINES.sub(" ", text)
    for credit in _CREDITS:
        text = credit.sub(" ", text)
    for markup in (_FENCED, _RST_TARGET, _RST_BLOCK, _RST_DIRECTIVE, _RST_ISSUE):
        text = markup.sub(" ", text)
    for kept in (_RST_TITLED, _RST_ROLE, _EPYTEXT, _MARKDOWN_LINK, _MARKDOWN_REFERENCE):
        text = kept.sub(lambda found: found[1] or "", text)
    text = _URL.sub(" ", text)
    text = _HEADING.sub("", text)
    text = _BULLET.sub("", text)
    text = _EMPHASIS.sub(r"\2", text)
    # Double quotes and backticks mark code here, and would ask for an exact match in a query.
    text = re.sub(r"`{1,2}_{0,2}|[\"\u201c\u201d]", " ", text)
    return _without_issues(text)


def _without_issues(text: str) -> str:
    text = _CALL.sub(_CALL_MARK, text)
    text = _PARENTHESED_ISSUES.sub(" ", text)
    text = _ISSUES.sub(" ", text)
    text = _NUMBERED_ISSUE.sub(" ", text)
    text = _EMPTY_BRACKETS.sub(" ", text).replace(_CALL_MARK, "()")
    text = " ".join(text.split())
    text = _POINTER.sub("", text)
    text = re.sub(r"\s+([.,;:!?)])(?=\s|$)", r"\1", text).replace("( ", "(")
    return text.strip(" -\u2013\u2014:,;|")


def _yaml_note(text: str) -> str:
    """The note of a chloggen entry, which is YAML of one known shape: quoted, plain or block text."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if re.match(r"note\s*:", line)), None)
    if start is None:
        return ""
    said = [lines[start].partition(":")[2]]
    for line in lines[start + 1 :]:
        if line and not line[0].isspace():
            break
        said.append(line)
    first = said[0].strip()
    if re.fullmatch(r"[|>][+-]?\d?", first):
        return "\n".join(said[1:])
    joined = " ".join(part.strip() for part in said).strip()
    if joined[:1] in {'"', "'"}:
        quote = joined[0]
        end = joined.rfind(quote)
        return joined[1 : end if end > 0 else None].replace("''" if quote == "'" else '\\"', quote)
    return re.sub(r"\s#.*", "", joined)
