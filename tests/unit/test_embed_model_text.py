"""What the models read: splitting, hunk text, and the text a cross-encoder sees."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.embed.model_text import (
    MAX_WORD,
    RERANK_CHARS,
    RERANK_QUERY_WORDS,
    document_text,
    prepared,
    prepared_document,
    prepared_query,
    raw_words,
    rerank_text,
    split_word,
)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getHTTPResponse2", ["get", "http", "response", "2"]),
        ("monkeypatch", ["monkeypatch"]),
        ("XMLParser", ["xml", "parser"]),
        ("HTTP2Server", ["http", "2", "server"]),
        ("utf8", ["utf", "8"]),
        ("naïveTest", ["naïvetest"]),
        ("日本語", ["日本語"]),
        ("a" * (MAX_WORD + 1), []),
    ],
)
def test_words_are_split_where_a_reader_would_pause(word: str, parts: list[str]) -> None:
    assert split_word(word) == parts


def test_prepared_text_drops_punctuation_and_underscores() -> None:
    assert (
        prepared("self._tmp_path.mkdir(exist_ok=True)  # GH-42") == "self tmp path mkdir exist ok true gh 42"
    )


@given(st.text(st.characters(max_codepoint=127)) | st.text())
def test_words_are_runs_of_letters_and_digits(text: str) -> None:
    assert raw_words(text) == re.findall(r"[^\W_]+", text)


# The dotted capital I is the one letter whose lower case is two characters, the second not a letter.
letters = st.text().map(lambda text: text.replace("\u0130", "I"))


@given(letters)
def test_preparing_twice_changes_nothing(text: str) -> None:
    once = prepared(text)
    assert prepared(once) == once


@given(letters)
def test_prepared_text_is_words_and_single_spaces(text: str) -> None:
    assert all(part.isalnum() for part in prepared(text).split(" ") if part)
    assert "  " not in prepared(text)


def test_a_hunk_is_its_changed_lines_without_signs() -> None:
    body = " def f():\n-    return 1\n+    return 2\n\\ No newline at end of file"
    assert document_text(body) == "    return 1\n    return 2"


def test_a_reranked_hunk_shows_subject_path_symbol_and_signed_lines() -> None:
    body = " context\n-old = 1\n+new = 2\n+\n+"
    assert (
        rerank_text("q", " Rename old \n", "src/a.py", "f", body)
        == "Rename old\nsrc/a.py\nf\n- old = 1\n+ new = 2"
    )


def test_without_subject_or_symbol_the_document_starts_with_the_path() -> None:
    assert rerank_text("q", "", "src/a.py", "", "+x") == "src/a.py\n+ x"


def test_a_long_hunk_keeps_the_lines_that_share_words_with_the_query() -> None:
    filler = [f"+filler line number {n} with nothing to say" for n in range(80)]
    body = "\n".join([*filler[:70], "+self.capture_manager.suspend()", *filler[70:]])
    text = rerank_text("suspend the capture manager", "", "a.py", "", body)
    assert "+ self.capture_manager.suspend()" in text.split("\n")
    assert text.index("filler line number 0 ") < text.index("capture_manager")
    assert len(text) < RERANK_CHARS * 1.2


@given(st.text(), st.text(alphabet="+- \nabcXYZ_", max_size=4_000))
def test_a_reranked_hunk_is_bounded_whatever_the_hunk(query: str, body: str) -> None:
    lines = rerank_text(query, "", "p", "", body).split("\n")[1:]
    assert sum(map(len, lines)) <= 2 * RERANK_CHARS
    changed = [
        f"{line[0]} {line[1:].strip()}"[:RERANK_CHARS] for line in body.split("\n") if line[:1] in ("+", "-")
    ]
    remaining = iter(changed)
    assert all(line in remaining for line in lines if line)


def test_the_cross_encoder_sees_where_the_side_of_a_change_turns() -> None:
    text = "Fix the readOnly flag\nsrc/io_file.py\n- a = oldName\n- b\n+ newName()"
    assert prepared_document(text) == "fix the read only flag . src io file py . - a old name b + new name"


def test_a_query_reads_as_its_words() -> None:
    assert prepared_query("why does tmpPath fail?") == "why does tmp path fail"
    assert prepared_query("word " * 500) == " ".join(["word"] * RERANK_QUERY_WORDS)
