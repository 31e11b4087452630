"""A version told from another matches as if it were parsed by itself, whatever stands in it."""

from __future__ import annotations

import random

import pytest
from ast_grep_py import SgRoot

from ohara.metavariables import atoms
from ohara.structural import versions as matching
from ohara.structural.matcher import compile_pattern, matches, names_in
from ohara.structural.outline import Outline, difference
from ohara.structural.versions import VersionMatcher

METHOD = "    def method_{0}(self):\n        try:\n            call({0})\n        except Error_{0}: pass\n"
FUNCTION = "def function_{0}():\n    try:\n        call({0})\n    except Error_{0}: pass\n"


def module(numbers: range) -> str:
    """Functions, and a class with many methods."""
    functions = "\n\n".join(FUNCTION.format(number) + "    x = 1\n" * 3 for number in numbers)
    methods = "\n".join(METHOD.format(number) + "        y = 2\n" * 3 for number in numbers)
    return f"import a\n\n\n{functions}\n\nclass Large:\n    z = 3\n\n{methods}"


def version_matcher(pattern: str, language: str) -> VersionMatcher:
    return VersionMatcher(compile_pattern(pattern, {}, language), language, names_in(pattern), atoms(pattern))


def agree(pattern: str, language: str, versions: list[str]) -> None:
    """Versions, each told from the one before it, match as if each were parsed by itself."""
    matcher = version_matcher(pattern, language)
    rule = compile_pattern(pattern, {}, language)
    last: Outline | None = None
    before: list[str] = []
    for text in versions:
        outline = matcher.outline(text, last)
        told = matches(text, rule, language, names_in(pattern))
        assert outline.found() == told, text
        assert outline.count == len(told)
        assert "".join(item.text for item in outline.items) == text
        if last is not None:
            came, went = difference(last, outline)
            after = [each.text for each in told]
            assert sorted(before + [each.text for each in came]) == sorted(
                after + [each.text for each in went]
            )
            assert {each[:4] for each in came} <= {each[:4] for each in told}
        last, before = outline, [each.text for each in told]


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


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is parsed from now on."""
    texts: list[str] = []

    def counted(text: str, language: str) -> SgRoot:
        texts.append(text)
        return SgRoot(text, language)

    monkeypatch.setattr(matching, "SgRoot", counted)
    return texts


def test_what_differs_is_parsed_with_its_neighbours(parsed: list[str]) -> None:
    matcher = version_matcher("call($X)", "c")
    first = matcher.outline(c_file(range(9), C_ODD))
    parsed.clear()
    second = matcher.outline(c_file(range(9), C_ODD).replace("call(7)", "call(7) + call(70)"), first)
    assert (first.count, second.count) == (10, 11)
    three = "".join(f"\n{C_FUNCTION.format(number)}" for number in (6, 7, 8))
    assert parsed == [three.replace("call(7)", "call(7) + call(70)")]


def test_an_error_that_leaves_something_open_costs_the_end_of_the_file(parsed: list[str]) -> None:
    matcher = version_matcher("call($X)", "c")
    text = c_file(range(10, 30)) + "\nint broken(void) {\n    call(1\n"
    first = matcher.outline(text)
    parsed.clear()
    second = matcher.outline(text.replace("call(15)", "call(15) + call(16)"), first)
    assert second.count == first.count + 1
    assert [len(parsed), "broken" in parsed[0]] == [1, False]
    agree("call($X)", "c", [text, text.replace("call(15)", "call(16)"), text.replace("Says 29", "Says 30")])


NESTED = {
    "rust": ("impl A {\n", "    fn f{0}() {{\n        call({0});\n    }}\n", "}\n"),
    "javascript": ("describe('a', () => {\n", "    it('{0}', () => {{\n        call({0})\n    }})\n", "})\n"),
    "python": ("class A:\n", "    def f{0}(self):\n        call({0})\n", ""),
    "go": ("func F() {\n", "\tt.Run(1, func() {{\n\t\tcall({0})\n\t}})\n", "}\n"),
    "c": ("#ifndef A\n#define A\n\n", "int f{0}() {{\n    return call({0});\n}}\n", "#endif\n"),
}


@pytest.mark.parametrize("language", sorted(NESTED))
def test_what_differs_inside_of_something_large(parsed: list[str], language: str) -> None:
    above, item, below = NESTED[language]
    whole = f"{above}{''.join(item.format(number) for number in range(10, 50))}{below}"
    matcher = version_matcher("call($X)", language)
    first = matcher.outline(whole)
    parsed.clear()
    second = matcher.outline(whole.replace("call(20)", "call(20, 0)"), first)
    assert (first.count, second.count) == (40, 39)
    assert len(parsed) == 1
    assert [number for number in range(10, 50) if f"call({number}" in parsed[0]] == [19, 20, 21]
    came, went = difference(first, second)
    assert (len(came), [each.text for each in went]) == (0, ["call(20)"])


def test_what_may_match_around_is_not_taken_apart() -> None:
    above, item, below = NESTED["javascript"]
    whole = f"{above}{''.join(item.format(number) for number in range(40))}{below}"
    agree("describe($A, $B)", "javascript", [whole, whole.replace("call(20)", "call(21)")])
    agree("$F($A, () => { $$$ })", "javascript", [whole, whole.replace("    it('3'", "    if (1) it('3'")])
    agree("$A === $A", "javascript", [f"(\n{whole}) === (\n{whole})".replace(")\n)", "))")])


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
    for _ in range(300):
        at = chance.randrange(len(lines) + 1)
        if len(lines) > 40 or (lines and chance.random() < 0.3):
            del lines[min(at, len(lines) - 1)]
        else:
            lines.insert(at, chance.choice(LINES[language].split("|")))
        versions.append("\n".join(lines) + "\n")
    agree("call($X)", language, versions)


WITHOUT = {
    "rust": "    fn g() {\n        other(1);\n    }\n",
    "javascript": "    other(1);\n",
    "python": "    def g(self):\n        other(1)\n",
    "go": "\tother(1)\n",
    "c": "int g() {\n    return other(1);\n}\n",
}


@pytest.mark.parametrize("language", sorted(NESTED))
def test_statements_without_the_words_are_not_parsed(parsed: list[str], language: str) -> None:
    above, item, below = NESTED[language]
    items = [item.format(number) for number in range(10, 50)]
    if language == "javascript":
        items = [each.replace("})\n", "});\n") for each in items]
    first = f"{above}{''.join(items)}{below}"
    second = f"{above}{''.join([*items[:7], WITHOUT[language], *items[7:]])}{below}"
    third = second.replace("other(1)", "other(2, 3)")
    matcher = version_matcher("call($X)", language)
    outlines = [matcher.outline(first)]
    parsed.clear()
    for text in (second, third):
        outlines.append(matcher.outline(text, outlines[-1]))
    assert parsed == []
    assert [outline.count for outline in outlines] == [40, 40, 40]
    agree("call($X)", language, [first, second, third, third.replace("other(2", "call(2"), first])


@pytest.mark.parametrize(
    ("language", "pattern", "inserted"),
    [
        ("python", "@d\ndef $F(): $$$", "@d\n"),
        ("python", "def f3(): $$$B", "    more\n"),
        ("python", "def f3(): $$$B", "else:\n    more\n"),
        ("python", "def f4(): $$$B", "if x: \\\n"),
        ("python", "def f4(): $$$B", "x = y('''z\n"),
        ("python", "def f4(): $$$B", "x = y\"\n"),
        ("javascript", "f3($$$)", "(more);\n"),
        ("javascript", "function f4() { $$$ }", "async\n"),
        ("javascript", "function f4() { $$$ }", "`more ${\n"),
        ("c", "case 3: call(3);", "more();\n"),
        ("c", "call(4)", "#if 0\n"),
        ("c", "call(4)", "#define A \\\n"),
        ("c", "call(4)", "int\n"),
        ("rust", "return call(4)", "return\n"),
        ("go", "call(4)", "more :=\n"),
    ],
)  # fmt: skip
def test_what_belongs_to_its_neighbours_is_parsed_with_them(
    language: str, pattern: str, inserted: str
) -> None:
    """Code without the words, between the third and the fourth of some statements."""
    written = {
        "python": ("", "def f{0}():\n    call({0})\n", ""),
        "javascript": ("", "function f{0}() {{\n  call({0})\n}}\n", ""),
        "c": ("void f(int x) {\nswitch (x) {\n", "case {0}: call({0});\n", "}\n}\n"),
        "rust": ("fn f() {\n", "call({0});\n", "}\n"),
        "go": ("package p\n\nfunc f() {\n", "\tcall({0})\n", "}\n"),
    }
    above, statement, below = written[language]
    if language == "c" and "case" not in pattern:
        above, statement, below = "void f(int x) {\n", "    call({0});\n", "}\n"
    statements = [statement.format(number) for number in range(40)]
    plain = above + "".join(statements) + below
    changed = above + "".join([*statements[:4], inserted, *statements[4:]]) + below
    agree(pattern, language, [plain, changed, changed.replace(inserted, inserted + "\n"), plain])
