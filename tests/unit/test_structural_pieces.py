"""A file matched by its pieces matches as if it were parsed whole, whatever stands in it."""

from __future__ import annotations

import random

import pytest
from ast_grep_py import SgRoot

from ohara.query.structure import atoms
from ohara.structural import pieces
from ohara.structural.cutting import cut, cut_class
from ohara.structural.matcher import compile_pattern, matches, names_in
from ohara.structural.pieces import PieceMatcher

METHOD = "    def method_{0}(self):\n        try:\n            call({0})\n        except Error_{0}: pass\n"
FUNCTION = "def function_{0}():\n    try:\n        call({0})\n    except Error_{0}: pass\n"


def module(numbers: range) -> str:
    """Functions, and a class with many methods."""
    functions = "\n\n".join(FUNCTION.format(number) + "    x = 1\n" * 3 for number in numbers)
    methods = "\n".join(METHOD.format(number) + "        y = 2\n" * 3 for number in numbers)
    return f"import a\n\n\n{functions}\n\nclass Large:\n    z = 3\n\n{methods}"


def piece_matcher(pattern: str, language: str) -> PieceMatcher:
    return PieceMatcher(compile_pattern(pattern, {}, language), language, names_in(pattern), atoms(pattern))


def agree(pattern: str, language: str, versions: list[str]) -> None:
    """Versions that share most of their text match as if each were parsed by itself."""
    matcher = piece_matcher(pattern, language)
    rule = compile_pattern(pattern, {}, language)
    for text in versions:
        assert list(matcher.matches(text)) == matches(text, rule, language, names_in(pattern)), text


@pytest.mark.parametrize(
    "pattern",
    [
        "except $E: pass",
        "call($X)",
        "def $F(self): $$$",
        "class $C: $$$",
        "class Large: $$$B",
        "$A = 2",
        "try: $$$A\nexcept $E: pass",
        "$A",
    ],
)
def test_python(pattern: str) -> None:
    plain = module(range(12))
    versions = [
        plain,
        module(range(1, 13)),
        plain.replace("x = 1", "x = '''", 1),
        f'X = """\n{plain}"""\n',
        plain.replace("call(7)", "call(7"),
        plain.replace("def method_5(self):", "def method_5(self"),
        plain.replace("def method_5", "class Inner:\n        pass\n\n    def method_5"),
        f"{plain}else:\n",
        plain.replace("class Large:\n    z = 3\n", "class Large:\n"),
        plain.replace("\n", "\r\n"),
        plain.rstrip("\n"),
        "",
    ]
    agree(pattern, "python", versions)


def test_classes_are_cut_between_methods() -> None:
    outermost = cut(module(range(9)), "python")
    assert "".join(piece.text for piece in outermost) == module(range(9))
    members = cut_class(outermost[-1].text)
    assert [len(outermost), len(members)] == [11, 10]
    assert "".join(piece.text for piece in members) == outermost[-1].text


def test_javascript() -> None:
    calls = "  f(1)\n" * 3
    blocks = [f"function g{number}() {{\n{calls}}}" for number in range(9)]
    plain = "\n\n".join(blocks)
    joined = "\n\n".join([*blocks[:4], "let a = b", "(f(2))", *blocks[4:]])
    behind_a_comment = "\n\n".join([*blocks[:4], "let a = b", "// why\n(f(2))", *blocks[4:]])
    agree("f($X)", "javascript", [plain, joined, behind_a_comment, f"const t = `\n{plain}"])
    agree("b($X)", "javascript", [plain, joined, behind_a_comment, plain.replace("f(1)", "f(1", 1)])


C_FUNCTION = "/* Says {0}. */\nint function_{0}(void) {{\n    return call({0});\n}}\n"
C_ODD = 'NO_SANITIZE("bounds")\nint odd(void) {\n    return call(77);\n}\n'


def c_file(numbers: range, between: str = "") -> str:
    functions = [C_FUNCTION.format(number) for number in numbers]
    functions.insert(len(functions) // 2, between)
    return "#include <a.h>\n\n" + "\n".join(functions)


@pytest.mark.parametrize("pattern", ["call($X)", "return $X;", "int $F(void) { $$$ }"])
def test_c_with_conditions_and_what_the_grammar_does_not_know(pattern: str) -> None:
    plain = c_file(range(9))
    conditional = f"#ifdef A\n\n{C_FUNCTION.format(40)}\n#else\n\n{C_FUNCTION.format(41)}\n#endif\n"
    versions = [
        plain,
        c_file(range(9), conditional),
        c_file(range(9), C_ODD),
        c_file(range(1, 10), C_ODD),
        c_file(range(9), "#if 0\n"),
        c_file(range(9), "/* not closed\n"),
        c_file(range(9), "}\n"),
        c_file(range(9), "int broken(void) {\n"),
        f"#ifndef H\n#define H\n\n{plain}\n#endif\n",
        f"#ifndef H\n#define H\n\n{c_file(range(9), C_ODD)}\n#endif\n",
        f"#ifndef H\n#define H\n\n{c_file(range(9), conditional)}\n#endif /* H */",
        f"#ifndef H\n#define H\n\n{plain}",
    ]
    agree(pattern, "c", versions)


def test_what_is_whole_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str, language: str) -> SgRoot:
        parsed.append(text)
        return SgRoot(text, language)

    monkeypatch.setattr(pieces, "SgRoot", counted)
    matcher = piece_matcher("call($X)", "c")
    for text in (c_file(range(9), C_ODD), c_file(range(9), C_ODD).replace("Says 8", "Tells 8")):
        assert len(matcher.matches(text)) == 10
    assert sum("Says 0" in text for text in parsed) <= 2
    assert parsed[-1] == C_FUNCTION.format(8).replace("Says", "Tells")


LINES = {
    "python": 'call(1)|if x:|    call(3)|"""|def f():|    pass|||class A:|    def g(self):|else:|(|@d',
    "c": "call(1);|if (x) {|}|/*|*/|int f(void) {|}|||#if A|#else|#endif|M(3)|#define X \\|// c",
    "javascript": "call(1)|let x = call(2)|if (x) {|}|/*|*/|function f() {|}|||`|(call(3))|else|// c|(",
    "go": "call(1)|var x = call(2)|if x {|}|/*|*/|func f() {|}|||`|(call(3))|else|// c|type A struct {",
    "rust": 'call(1);|let x = call(2);|if x {|}|/*|*/|fn f() {|}|||"|(call(3))|else|// c|#[a]|impl A {|m! {',
}


@pytest.mark.parametrize("language", sorted(LINES))
def test_random_files(language: str) -> None:
    """Files of lines drawn by chance, most of them broken, each one line off the last."""
    chance = random.Random(17)  # noqa: S311 - a script, not a secret
    lines: list[str] = []
    versions: list[str] = []
    for _ in range(200):
        at = chance.randrange(len(lines) + 1)
        if len(lines) > 40 or (lines and chance.random() < 0.3):
            del lines[min(at, len(lines) - 1)]
        else:
            lines.insert(at, chance.choice(LINES[language].split("|")))
        versions.append("\n".join(lines) + "\n")
    agree("call($X)", language, versions)
