"""The decoder takes any bytes at all: it gives a valid message back or a DaemonError, never anything else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given

from ohara import errors, wire
from ohara.errors import DaemonError, InternalError, OharaError
from ohara.model import Filters, Mode, Order, Pass, Pattern, Progress, Query, QueryClass, SearchOptions

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
PLACES = TEXT.filter(bool)
IDS = st.integers(0, 2**53 - 1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
QUERIES = st.builds(
    Query,
    source=TEXT,
    words=TEXT,
    patterns=st.lists(st.builds(Pattern, TEXT, st.booleans()), max_size=2).map(tuple),
    filters=st.builds(
        Filters, authors=st.lists(TEXT, max_size=2).map(tuple), since=st.none() | st.integers(0, 2**40)
    ),
    mode=st.sampled_from(Mode),
    query_class=st.sampled_from(QueryClass),
)
REQUESTS = st.one_of(
    st.builds(wire.Hello, id=IDS, protocol=st.integers(0, 9), version=TEXT),
    st.builds(
        wire.Find,
        id=IDS,
        repo=PLACES,
        query=TEXT | QUERIES,
        options=st.builds(
            SearchOptions,
            k=st.none() | st.integers(0, 100),
            mode=st.sampled_from(Mode),
            filters=st.builds(Filters, paths=st.lists(TEXT, max_size=2).map(tuple)),
            rerank=st.none() | st.booleans(),
            order=st.sampled_from(Order),
            after=st.none() | TEXT,
        ),
    ),
    st.builds(wire.Status, id=IDS, repo=PLACES, deadline_ms=st.integers(1, 600_000)),
    st.builds(wire.Cancel, id=IDS, target=IDS),
    st.builds(wire.Shutdown, id=IDS),
)


def refused(decode: Callable[[bytes], object], body: bytes) -> DaemonError | None:
    """Why the bytes are no message, or None when they are one."""
    try:
        decode(body)
    except DaemonError as error:
        return error
    return None


@given(REQUESTS)
def test_a_request_arrives_as_it_was_sent(request: wire.AnyRequest) -> None:
    sent = wire.frame(request)
    length = wire.body_length(sent[: wire.HEADER_BYTES])
    assert len(sent) == wire.HEADER_BYTES + length
    assert wire.decode_request(sent[wire.HEADER_BYTES :]) == request


@given(IDS, st.builds(Progress, st.sampled_from(Pass), IDS, IDS, IDS, st.floats(0, 1e6)), TEXT)
def test_a_reply_arrives_as_it_was_sent(number: int, progress: Progress, text: str) -> None:
    event = wire.Event(id=number, job=wire.JobState(text, "progress", text, progress))
    assert wire.decode_reply(wire.frame(event)[wire.HEADER_BYTES :]) == event


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(body: bytes) -> None:
    for decode in (wire.decode_request, wire.decode_reply):
        refusal = refused(decode, body)
        assert refusal is None or (refusal.message and refusal.hint)


@given(st.data())
def test_a_damaged_request_is_refused_or_still_valid(data: st.DataObject) -> None:
    body = bytearray(wire.frame(data.draw(REQUESTS))[wire.HEADER_BYTES :])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place] = data.draw(st.integers(0, 255))
    try:
        request = wire.decode_request(bytes(body))
    except DaemonError:
        return
    assert wire.decode_request(wire.frame(request)[wire.HEADER_BYTES :]) == request


@given(JSON, st.sampled_from([member.__name__.lower() for member in get_args(wire.AnyRequest)]))
def test_any_json_is_a_request_or_refused(value: object, do: str) -> None:
    document = {**value, "do": do} if isinstance(value, dict) else value
    refusal = refused(wire.decode_request, json.dumps(document).encode())
    assert refusal is None or refusal.message.startswith("not a request: ")


@given(st.integers(0, 2**32 - 1))
def test_a_length_is_taken_or_refused_before_anything_is_read(length: int) -> None:
    header = length.to_bytes(4, "big")
    if length <= wire.MAX_FRAME_BYTES:
        assert wire.body_length(header) == length
    else:
        with pytest.raises(DaemonError, match="over the limit"):
            wire.body_length(header)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "truncated"),
        (b"{}", "missing required field `do`"),
        (b'{"do":"erase","id":1}', "Invalid value 'erase'"),
        (b'{"do":"status","id":1}', "missing required field `repo`"),
        (b'{"do":"status","id":-1,"repo":"/r"}', ">= 0"),
        (b'{"do":"status","id":1,"repo":""}', "length >= 1"),
        (b'{"do":"status","id":1,"repo":"/r","shell":"rm"}', "unknown field `shell`"),
        (b'{"do":"status","repo":"/r"}', "missing required field `id`"),
        (
            b'{"do":"find","id":1,"repo":"/r","query":"x","options":{"mode":"psychic"}}',
            "Invalid enum value 'psychic'",
        ),
        (
            b'{"do":"find","id":1,"repo":"/r","query":"x","options":{"k":1,"by_date":true}}',
            "unknown field `by_date` - at `$.options`",
        ),
        (b'{"do":"find","id":1,"repo":"/r","query":7}', "Expected `str | object`, got `int`"),
        (b'{"do":"status","id":1,"repo":"/r","deadline_ms":0}', ">= 1"),
        (b"[" * 100_000, ""),
    ],
)
def test_what_is_wrong_with_a_request_is_said(body: bytes, complaint: str) -> None:
    with pytest.raises(DaemonError) as caught:
        wire.decode_request(body)
    assert complaint in caught.value.message


def test_an_answer_over_the_limit_is_not_sent() -> None:
    with pytest.raises(DaemonError, match="over the limit"):
        wire.frame(wire.Fault(id=1, kind="x", message="x" * wire.MAX_FRAME_BYTES))


ERRORS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, OharaError)]


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_crosses_the_wire(kind: type[OharaError]) -> None:
    sent = wire.frame(wire.fault(7, kind("what \udcff happened", hint="type this")))
    reply = wire.decode_reply(sent[wire.HEADER_BYTES :])
    assert isinstance(reply, wire.Fault)
    error = wire.as_error(reply)
    assert (type(error), error.message, error.hint) == (kind, "what ? happened", "type this")


@pytest.mark.parametrize("kind", ["SystemExit", "annotations", "reason_of", "__builtins__", ""])
def test_a_fault_can_name_nothing_but_an_error_of_ohara(kind: str) -> None:
    error = wire.as_error(wire.Fault(id=1, kind=kind, message="m"))
    assert type(error) is InternalError


def test_every_message_is_documented(repository_text: str) -> None:
    for union in (wire.AnyRequest, wire.AnyReply):
        for member in get_args(union):
            assert f"`{member.__struct_config__.tag}`" in repository_text
            for name in msgspec.structs.fields(member):
                assert f"`{name.name}`" in repository_text, (
                    f"docs/protocol.md lacks {member.__name__}.{name.name}"
                )


@pytest.fixture
def repository_text() -> str:
    from tests.process import ROOT

    return (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
