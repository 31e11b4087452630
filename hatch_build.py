"""Compiles `ohara/speedups` while a wheel is made, where there is a C compiler; ohara works without it."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = "ohara/speedups"
COMPILED = (
    "ohara/speedups/_compiled.abi3.so"  # of the limited API: one file serves Python 3.11 and all later ones
)


class SpeedupsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled module to a wheel, which is then for this kind of machine."""

    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Compile it: into the source tree for an editable install, else where nothing of it stays."""
        root = Path(self.root)
        is_editable = version == "editable"
        if not is_editable:
            self._folder = tempfile.TemporaryDirectory(prefix="ohara-speedups-")
        target = Path(self._folder.name) / Path(COMPILED).name if self._folder else root / COMPILED
        reason = compile_speedups(root / SOURCES, target)
        if reason:
            self.app.display_warning(f"ohara is installed without its compiled part: {reason}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        if not is_editable:
            build_data["force_include"] = {str(target): COMPILED}

    def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
        """Delete what was compiled for the wheel, which has it now."""
        del version, build_data, artifact_path
        if self._folder:
            self._folder.cleanup()


def compile_speedups(sources: Path, target: Path) -> str:
    """Compile the files of a folder to one; returns why not, or nothing where it worked."""
    if (
        sys.implementation.name != "cpython"
        or sysconfig.get_config_var("Py_GIL_DISABLED")
        or os.name != "posix"
    ):
        return "it is for CPython on Unix"
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    compiler = shlex.split(os.environ.get("CC") or "cc")
    target.parent.mkdir(parents=True, exist_ok=True)
    making = target.with_suffix(f".{os.getpid()}")  # a running ohara keeps the file that it has loaded
    headers = f"-I{sysconfig.get_path('include')}"
    files = sorted(map(str, sources.glob("*.c")))
    named = f'-DSOURCES="{sources_digest(sources)}"'  # Python uses what was made of the sources it goes with
    options = ["-O2", "-fPIC", "-fvisibility=hidden", *shared, headers, named]
    command = [*compiler, *options, *files, "-o", str(making)]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as fault:
        return f"{compiler[0]}: {fault.strerror}"
    if done.returncode:
        return next(iter(done.stderr.splitlines()), f"{compiler[0]} failed")
    making.replace(target)
    return ""


def sources_digest(sources: Path) -> str:
    """What the C files of a folder go by, whatever their line ends."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(sources.glob("*.[ch]")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()
