"""The languages that code can be matched in, and what may stand around a pattern in each.

A language that ast-grep does not know would end the process that asks for it: only these are ever asked for.
"""

from __future__ import annotations

from typing import Final

# By ohara's names for languages; ast-grep's are the same.
LANGUAGES: Final = frozenset({
    "bash", "c", "cpp", "csharp", "css", "dart", "elixir", "go", "haskell", "hcl", "html", "java",
    "javascript", "json", "kotlin", "lua", "nix", "php", "python", "ruby", "rust", "scala",
    "solidity", "swift", "tsx", "typescript", "yaml",
})  # fmt: skip

# Nearly any text is code in these: they are tried if asked for, or if nothing else is there.
LOOSE: Final = frozenset({"bash", "html", "yaml"})

# A pattern is seldom a whole file. What may stand around it, beside nothing: a function, a class, an object.
_AROUND: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "c": (("void f() { ", " }"), ("void f() { ", "; }")),
    "cpp": (("void f() { ", " }"), ("void f() { ", "; }"), ("class C { ", " };")),
    "csharp": (("class C { void f() { ", " } }"), ("class C { void f() { ", "; } }"), ("class C { ", " }")),
    "dart": (("void f() { ", " }"), ("void f() { ", "; }"), ("class C { ", " }")),
    "go": (("package p\nfunc f() { ", " }"), ("package p\n", "")),
    "java": (("class C { void f() { ", " } }"), ("class C { void f() { ", "; } }"), ("class C { ", " }")),
    "javascript": (("class C { ", " }"), ("({ ", " })")),
    "kotlin": (("fun f() { ", " }"),),
    "php": (("<?php ", ""), ("<?php ", ";")),
    "python": (("", "\ndef f(): pass"), ("try: pass\n", "")),
    "rust": (("fn f() { ", " }"), ("fn f() { ", "; }")),
    "scala": (("object O { def f() = { ", " } }"),),
    "solidity": (("contract C { function f() { ", " } }"), ("contract C { function f() { ", "; } }")),
    "swift": (("func f() { ", " }"),),
    "tsx": (("class C { ", " }"), ("({ ", " })")),
    "typescript": (("class C { ", " }"), ("({ ", " })")),
}


def contexts(language: str) -> tuple[tuple[str, str], ...]:
    """What may be put before and behind a pattern to parse it, nothing first."""
    return (("", ""), *_AROUND.get(language, ()))
