"""Checks whether the machine runs on battery, where the system reports it."""

from __future__ import annotations

from pathlib import Path

_SUPPLIES = Path("/sys/class/power_supply")


def on_battery(supplies: Path = _SUPPLIES) -> bool:
    """True only when there is a mains supply and none is connected; unknown counts as mains."""
    try:
        mains = [
            (supply / "online").read_text().strip()
            for supply in supplies.iterdir()
            if (supply / "type").read_text().strip() in {"Mains", "USB"}
        ]
    except OSError:
        return False
    return bool(mains) and not any(online == "1" for online in mains)
