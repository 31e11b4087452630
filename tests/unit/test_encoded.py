"""What counts as encoded text, and what never does."""

from __future__ import annotations

import base64
import binascii
import random
import string
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.encoded import Kept, is_mostly_encoded, leave_out, may_hold

CHANCE = random.Random(12)  # noqa: S311
NOISE = CHANCE.randbytes(30_000)


def wrapped(text: str, columns: int = 76) -> list[str]:
    return [text[at : at + columns] for at in range(0, len(text) - columns, columns)]


def body(lines: list[str], sign: str = "+") -> str:
    return "\n".join(sign + line for line in lines)


def share_left_out(lines: list[str]) -> float:
    return leave_out(body(lines)).left_out / sum(map(len, lines))


ENCODED = {
    "base64": wrapped(base64.b64encode(NOISE).decode()),
    "base64, quoted and indented": [f'    "{line}"' for line in wrapped(base64.b64encode(NOISE).decode())],
    "URL-safe base64": wrapped(base64.urlsafe_b64encode(NOISE).decode()),
    "a certificate": wrapped(base64.b64encode(NOISE).decode(), 64),
    "base85": wrapped(base64.b85encode(NOISE).decode()),
    "a binary patch of git": ["z" + line for line in wrapped(base64.b85encode(NOISE).decode(), 65)],
    "Ascii85": wrapped(base64.a85encode(NOISE).decode()),
    "uuencode": [
        binascii.b2a_uu(NOISE[at : at + 45]).decode().rstrip("\n") for at in range(0, len(NOISE) - 45, 45)
    ],
    "raw bytes": NOISE.decode("latin-1").replace("\0", "").split("\n"),
    "an image in a notebook": [f'      "image/png": "{base64.b64encode(NOISE).decode()}\\n",'],
}


@pytest.mark.parametrize("name", ENCODED)
def test_encoded_text_is_recognised(name: str) -> None:
    assert share_left_out(ENCODED[name]) > 0.8
    assert is_mostly_encoded(body(ENCODED[name]))


def camel(chance: random.Random) -> str:
    return "".join(chance.choice(["Abstract", "Http2", "XML", "Get", "By", "Id", "Of"]) for _ in range(14))


WRITTEN = {
    "an alphabet": [f'ALPHABET = "{string.ascii_letters + string.digits}+/"', string.printable[:90]],
    "hex digests": [f"--hash=sha256:{NOISE[at : at + 32].hex()} \\" for at in range(0, 6_400, 32)],
    "identifiers of objects": [f'"{uuid.UUID(bytes=NOISE[at : at + 16])}",' for at in range(0, 3_200, 16)],
    "a list of those without blanks": [
        ",".join(str(uuid.UUID(bytes=NOISE[at : at + 16])) for at in range(start, start + 160, 16))
        for start in range(0, 16_000, 160)
    ],
    "a hex dump": [
        f"{at:08x}: {NOISE[at : at + 16].hex(' ', 2)}  " + "." * 16 for at in range(0, 16_000, 16)
    ],
    "an array of bytes": [
        ", ".join(f"0x{byte:02x}" for byte in NOISE[at : at + 12]) + "," for at in range(0, 12_000, 12)
    ],
    "escaped bytes": [f"key = {NOISE[at : at + 20]!r}" for at in range(0, 8_000, 20)],
    "one long hexadecimal number": [NOISE[:2_000].hex()],
    "a path of an image": [
        "M" + "".join(f"{CHANCE.uniform(-9, 99):.2f},{CHANCE.uniform(-9, 99):.2f}c" for _ in range(400))
    ],
    "a table": [",".join(f"{CHANCE.uniform(-1e3, 1e3):.4f}" for _ in range(20)) for _ in range(100)],
    "long names": [f"    {camel(CHANCE)}.{camel(CHANCE)}();" for _ in range(100)]
    + ["def test_" + "_".join(CHANCE.choices(["of", "a", "x1", "Foo", "that_is"], k=20)) for _ in range(100)],
    "minified code": [
        '!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?module.exports=t():self}()',
        "a=r[i],z=a[jQuery.props[m[2]]||m[2]];if(z==null||/href|src|selected/.test(m[2])){r=x(e,t,n)}else{q=1}",
    ],
    "addresses": [
        "https://docs.google.com/document/d/1mZ0-Kc97DI_F3tf_GBW_NB_aqka-P1jVOsFfufxqUUM/edit#heading=h.ec0r",
        "https://files.pythonhosted.org/packages/24/aa/0e39a2a3b16eebf7f193863323edbff38b6daba711abaaf807d4/x-7",
    ],
    "shouting": ["MAKE SURE THAT NONE OF THESE 61 CHARACTERS ARE TAKEN FOR DATA"],
    "prose in Han": ["".join(chr(CHANCE.randrange(0x4E00, 0x9FFF)) for _ in range(200)) for _ in range(20)],
    "prose in Latin-1": ["où l'élève a été reçu à l'école, près du hêtre, là-bas, à Besançon " * 3],
    "prose in Arabic": ["هذا نص مكتوب باللغة العربية لا يجوز أن يضيع " * 4],
    "a manual page with overstrikes": ["N\bNA\bAM\bME\bE " * 20],
    "colours of a terminal": ["\x1b[31mred\x1b[0m \x1b[32mgreen\x1b[0m " * 10],
    "a slip of the hand": ["x = 1\x01  # how did that get here?"],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_people_write_is_kept(name: str) -> None:
    lines = WRITTEN[name]
    assert leave_out(body(lines)) == Kept(body(lines))


def test_only_the_encoded_run_leaves_a_line() -> None:
    data = base64.b64encode(NOISE[:900]).decode()
    line = f'  background: url("data:image/png;base64,{data}") no-repeat; /* the logo */'
    kept = leave_out(f" .header {{\n+{line}\n }}")
    assert (
        kept.body == ' .header {\n+  background: url("data:image/png;base64, ") no-repeat; /* the logo */\n }'
    )
    assert not kept.is_bare
    assert kept.left_out == len(data) - 1
    integrity = base64.b64encode(NOISE[:64]).decode()
    kept = leave_out(f"+  integrity sha512-{integrity}")
    assert kept.body.startswith("+  integrity ")


def test_a_change_of_encoded_lines_alone_has_no_words() -> None:
    lines = [line for line in ENCODED["base64"] if leave_out("+" + line).left_out]
    assert leave_out(body(lines)).is_bare
    assert not leave_out(body([*lines, "and a word"])).is_bare
    around = leave_out(f" {lines[0]}\n+word\n {lines[1]}")
    assert around.signs is None  # only changed lines are searched exactly
    assert around.body.split("\n")[1] == "+word"


def test_encoded_lines_tell_which_signs_they_have() -> None:
    signs = leave_out(body(ENCODED["base64"])).signs
    assert signs is not None
    for part in ("AbC", "a+b", "q/9", "Zz0"):
        assert signs & may_hold(part) == may_hold(part)
    for part in ("a b", "f(x", "é", "a_b", "日本語"):
        assert signs & may_hold(part) != may_hold(part)
    assert may_hold("\u212a\u017fx") == 0  # K and s in other clothes


@given(st.lists(st.sampled_from([line for lines in ENCODED.values() for line in lines[:20]]), max_size=6))
def test_the_verdict_on_a_line_depends_on_nothing_else(lines: list[str]) -> None:
    together = leave_out(body(lines)).body if lines else ""
    assert together == "\n".join(leave_out("+" + line).body for line in lines)
    removed = leave_out(body(lines, "-")).body if lines else ""
    assert [line[1:] for line in removed.split("\n")] == [line[1:] for line in together.split("\n")]


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_keeps_its_lines_and_signs(text: str) -> None:
    given_body = body(text.split("\n"))
    kept = leave_out(given_body)
    assert kept.body.count("\n") == given_body.count("\n")
    assert all(line[:1] == "+" for line in kept.body.split("\n"))
    assert len(given_body) - len(kept.body) == kept.left_out
