"""Encodes and decodes frames: a length and that many bytes of JSON, validated when they arrive."""

from __future__ import annotations

import dataclasses
import functools
import struct
from typing import Union

import msgspec

from ohara.errors import DaemonError
from ohara.model import SearchOptions
from ohara.wire.replies import AnyReply, Fault, Reply
from ohara.wire.requests import UNNUMBERED, AnyRequest, Find

MAX_FRAME_BYTES = 16 * 2**20  # a thousand hits with whole excerpts take a tenth of this
HEADER_BYTES = 4

_HEADER = struct.Struct(">I")
_HINT = "speak the protocol of docs/protocol.md"

_encoder = msgspec.json.Encoder()


@functools.cache
def _requests() -> msgspec.json.Decoder[AnyRequest]:
    """The decoder of requests, made when first needed: a client never decodes one."""
    return msgspec.json.Decoder(AnyRequest)


@functools.cache
def replies(*kinds: type[Reply]) -> msgspec.json.Decoder[AnyReply]:
    """A decoder of these kinds of reply and Fault, or of all; one for few kinds is made ten times faster."""
    return msgspec.json.Decoder(Union[(*kinds, Fault)] if kinds else AnyReply)


def frame(message: msgspec.Struct) -> bytes:
    """Encode a request or a reply."""
    try:
        body = _encoder.encode(message)
    except UnicodeEncodeError as error:  # a lone surrogate, as in a path that is not UTF-8
        raise DaemonError("a message holds text that JSON cannot carry", hint="use --no-daemon") from error
    if len(body) > MAX_FRAME_BYTES:
        raise DaemonError(
            f"a message of {len(body):,} bytes is over the limit of {MAX_FRAME_BYTES:,}",
            hint="ask for fewer hits at a time",
        )
    return _HEADER.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """The length of the body that follows a header; refuses one over the limit."""
    (length,) = _HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise DaemonError(
            f"a frame of {length:,} bytes is over the limit of {MAX_FRAME_BYTES:,}",
            hint=_HINT,
        )
    return int(length)


class FrameBuffer:
    """Splits received bytes into frames: bytes in, bodies out."""

    def __init__(self) -> None:
        self._received = bytearray()

    def feed(self, piece: bytes) -> None:
        """Add bytes that were received."""
        self._received += piece

    @property
    def has_header(self) -> bool:
        """True when a frame has begun: only its body may be missing."""
        return len(self._received) >= HEADER_BYTES

    def body(self) -> bytes | None:
        """The body of the next frame, if it is complete; an error when it is longer than any may be."""
        if not self.has_header:
            return None
        end = HEADER_BYTES + body_length(bytes(self._received[:HEADER_BYTES]))
        if len(self._received) < end:
            return None
        body = bytes(self._received[HEADER_BYTES:end])
        del self._received[:end]
        return body


def decode_request(body: bytes) -> AnyRequest:
    """Decode a request; a DaemonError says what is wrong with it."""
    try:
        request = _requests().decode(body)
        unknown = _option_names(body) - _OPTIONS if isinstance(request, Find) else set()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DaemonError(f"not a request: {error}", hint=_HINT) from error
    if request.id == UNNUMBERED:
        raise DaemonError("not a request: Object missing required field `id`", hint=_HINT)
    if unknown:
        raise DaemonError(
            f"not a request: Object contains unknown field `{min(unknown)}` - at `$.options`", hint=_HINT
        )
    return request


class _Named(msgspec.Struct):
    """Only the option names of a request: msgspec ignores unknown keys when it decodes a dataclass."""

    options: dict[str, msgspec.Raw] = {}


_OPTIONS = frozenset(field.name for field in dataclasses.fields(SearchOptions))


def _option_names(body: bytes) -> set[str]:
    return set(msgspec.json.decode(body, type=_Named).options)


def decode_reply(body: bytes, *kinds: type[Reply]) -> AnyReply:
    """Decode a reply, of the named kinds if any; a DaemonError says what is wrong with it."""
    try:
        return replies(*kinds).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DaemonError(
            f"the daemon said something else than expected: {error}", hint="ohara daemon restart"
        ) from error
