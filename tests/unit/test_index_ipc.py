"""Messages between the indexer and its workers: whole, in order, and nobody waits for half of one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ohara.index.ipc import Finished, Frames, Part, read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The two ends of a pipe, the one that reads first."""
    source, target = os.pipe()
    yield source, target
    for fd in (source, target):
        try:
            os.close(fd)
        except OSError:  # a test closed it
            continue


def frame(message: object, pipe: tuple[int, int]) -> bytes:
    """A message as it is sent."""
    write_frame(pipe[1], message)
    return os.read(pipe[0], 1 << 16)


def test_a_message_is_taken_when_all_of_it_has_come(pipe: tuple[int, int]) -> None:
    message = Part(3, ("a", b"b"))
    sent = frame(message, pipe)
    frames = Frames(pipe[0])
    for at in range(len(sent)):
        assert frames.take() is None
        os.write(pipe[1], sent[at : at + 1])
    assert frames.take() == message
    assert frames.take() is None


def test_messages_that_come_together_are_taken_one_by_one(pipe: tuple[int, int]) -> None:
    frames = Frames(pipe[0])
    write_frame(pipe[1], Part(1, ()))
    write_frame(pipe[1], Finished(1))
    assert [frames.take(), frames.take(), frames.take()] == [Part(1, ()), Finished(1), None]


def test_the_end_of_the_other_side_is_told_after_its_last_message(pipe: tuple[int, int]) -> None:
    frames = Frames(pipe[0])
    write_frame(pipe[1], Finished(1))
    os.close(pipe[1])
    assert frames.take() == Finished(1)
    with pytest.raises(EOFError):
        frames.take()


def test_what_is_sent_is_received_by_a_reader_that_waits(pipe: tuple[int, int]) -> None:
    write_frame(pipe[1], Finished(7, spent=True))
    assert read_frame(pipe[0]) == Finished(7, spent=True)
