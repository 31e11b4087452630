"""How long an agent waits for its first answer: from the start of `ohara mcp`, no service running.

Beside it the same question asked again, and one `ohara find` without a service: what is left when nothing
speaks the protocol. Speaks plain JSON-RPC, so that no client's own time is counted.
"""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.metrics import median
from tests.bench.report import Table, talk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.bench.workspace import Indexed

_TIMES = 5
_PROTOCOL = "2025-06-18"


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """What one start of the server took, in seconds."""

    repository: str
    first_s: float
    again_s: float
    one_shot_s: float


def first_answers(name: str, indexed: Indexed, ask: str) -> list[FirstAnswer]:
    """Ask one question of servers that have just been started."""
    env = environment(indexed.home)
    alone = ohara_command("find", "--no-daemon", "--repo", str(indexed.repo), "--", ask)
    weigh(alone, env=env, allowed=(0, 1))  # compiles the modules and warms the disk for all
    taken: list[FirstAnswer] = []
    for _ in range(_TIMES):
        _stop_service(env)
        first_s, again_s = _asked_twice(indexed, ask, env)
        _stop_service(env)
        one_shot_s = weigh(alone, env=env, allowed=(0, 1)).wall_s
        taken.append(FirstAnswer(name, first_s, again_s, one_shot_s))
    talk(f"  {name}: first answers {', '.join(f'{each.first_s:.2f}' for each in taken)} s")
    return taken


def start_table(taken: list[FirstAnswer]) -> Table:
    """One row a repository."""
    rows = []
    for name in dict.fromkeys(each.repository for each in taken):
        own = [each for each in taken if each.repository == name]
        rows.append(
            (
                name,
                f"{median([each.first_s for each in own]):.1f} s",
                f"{max(each.first_s for each in own):.1f} s",
                f"{1_000 * median([each.again_s for each in own]):.0f} ms",
                f"{median([each.one_shot_s for each in own]):.1f} s",
            )
        )
    return Table(
        f"From the start of the server to its first answer, reranked, no service running ({_TIMES} starts)",
        ("repository", "median", "slowest", "the next answer", "`ohara find` without a service"),
        tuple(rows),
    )


def as_data(taken: list[FirstAnswer]) -> list[dict[str, str | float]]:
    """The figures for the report's file."""
    return [asdict(each) for each in taken]


def _stop_service(env: Mapping[str, str]) -> None:
    weigh(ohara_command("daemon", "stop"), env=env, allowed=(0, 1, 2))


def _asked_twice(indexed: Indexed, ask: str, env: Mapping[str, str]) -> tuple[float, float]:
    started = time.perf_counter()
    with subprocess.Popen(
        ohara_command("mcp", "--repo", str(indexed.repo)),
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        client = {"name": "bench", "version": "1"}
        _call(
            server,
            "initialize",
            {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client},
        )
        _send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        question = {"name": "find_pattern", "arguments": {"pattern": ask}}
        _call(server, "tools/call", question)
        answered = time.perf_counter()
        _call(server, "tools/call", question)
        again = time.perf_counter()
        assert server.stdin is not None
        server.stdin.close()
    return answered - started, again - answered


def _call(server: subprocess.Popen[bytes], method: str, params: object) -> None:
    """Ask, and read on to the reply; an error is one of the benchmark itself."""
    _send(server, {"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    assert server.stdout is not None
    for line in server.stdout:
        reply = json.loads(line)
        if reply.get("id") == method:
            if "error" in reply or reply["result"].get("isError"):
                raise RuntimeError(f"{method}: {reply}")
            return
    raise RuntimeError(f"{method}: the server ended without a reply")


def _send(server: subprocess.Popen[bytes], message: object) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
