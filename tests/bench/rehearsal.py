"""A small scripted project with changelog fragments: the benchmark tries itself on it before it judges.

Every change has a fragment whose words are its own, so that a search that works at all finds nearly all of
them; around them stand commits that look alike, so that one that does not work finds few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fixtures.script import History

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

FRAGMENTS = "newsfragments/*"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the rehearsal: its file, its lines, its message and its fragment."""

    path: str
    code: str
    message: str
    fragment: str


CHANGES = (
    Change(
        "app/upload.py",
        "def retry_upload(attempt):\n    delay = backoff_seconds(attempt)\n    sleep(delay)\n",
        "Retry uploads with backoff",
        "Uploads are now retried with an exponential backoff (#12).",
    ),
    Change(
        "app/cache.py",
        "def evict_oldest(entries):\n    entries.sort(key=last_used)\n    return entries.pop(0)\n",
        "Evict by last use",
        "The thumbnail cache evicts the entry that was last used longest ago, see :issue:`9`.",
    ),
    Change(
        "app/login.py",
        "def check_password(given, stored):\n    return compare_digest(given, stored)\n",
        "fix",
        "Passwords are compared in constant time. Patch by Jane Doe.",
    ),
    Change(
        "web/router.js",
        "export function matchRoute(path) {\n  return routes.find((r) => r.test(path));\n}\n",
        "router: trailing slash",
        "Fixed routes with a trailing slash that were never matched by ``matchRoute``.",
    ),
    Change(
        "web/theme.js",
        "export const darkTheme = { background: '#000', text: '#eee' };\n",
        "wip",
        "Added a dark theme that follows the settings of the operating system.",
    ),
    Change(
        "server/queue.go",
        "func (q *Queue) Drain(ctx context.Context) error {\n\treturn q.flush(ctx)\n}\n",
        "Drain the queue when stopping",
        "The worker queue is drained before the server shuts down.",
    ),
    Change(
        "server/metrics.go",
        "func histogramBuckets() []float64 {\n\treturn []float64{0.1, 0.5, 1, 5}\n}\n",
        "metrics",
        "Response times are exported as a histogram with configurable buckets.",
    ),
    Change(
        "app/csvfile.py",
        "def sniff_delimiter(line):\n    return max(',;\\t', key=line.count)\n",
        "Sniff the delimiter",
        "CSV imports recognise semicolons and tabs as a delimiter.",
    ),
    Change(
        "app/zone.py",
        "def to_utc(moment, zone):\n    return moment.replace(tzinfo=zone).astimezone(UTC)\n",
        "Convert to UTC",
        "Dates in calendars are stored in UTC whatever the time zone of the browser.",
    ),
    Change(
        "app/mailer.py",
        "def unsubscribe_header(user):\n    return {'List-Unsubscribe': link_for(user)}\n",
        "fix mail",
        "Newsletters carry an unsubscribe header that mail programs understand.",
    ),
    Change(
        "db/migrate.py",
        "def lock_table(name):\n    execute('LOCK TABLE ' + name)\n",
        "lock",
        "Migrations lock the table that they alter, so two of them never run at once.",
    ),
    Change(
        "app/search.py",
        "def stem(word):\n    return stemmer.stem(word.lower())\n",
        "Stem words",
        "Search matches plural and singular forms of a word alike.",
    ),
)

_NOISE = 4  # commits between two changes


def write_rehearsal(path: Path) -> Repo:
    """Writes the project; each change has its place in the list as its key."""
    with History(path, bare=True) as history:
        history.commit("Start", {"README.md": "An application.\n"}, key="start")
        steps = ""
        for number, change in enumerate(CHANGES):
            for step in range(_NOISE):
                steps += f"def step_{number}_{step}():\n    return {number * step}\n\n\n"
                history.commit(f"Add step {number}.{step}", {"app/steps.py": steps})
            history.commit(
                change.message,
                {change.path: change.code, f"newsfragments/{number}.bugfix.rst": f"{change.fragment}\n"},
                key=str(number),
            )
        compiled = "".join(f"- {change.fragment}\n" for change in CHANGES)
        history.commit("Release 1.0", {"CHANGES.rst": compiled}, key="release")
    return history.repo
