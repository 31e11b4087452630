"""Which language a path is written in, and what languages may be called.

One pure table serves the `lang:` filter, the path column of the index and the choice of a grammar. It
looks at a file's name only (and a first line, when the caller has one): it opens nothing, and knows
nothing of parsers. A name it does not know is `None`, never a guess.
"""

from __future__ import annotations

import re
from typing import Final

from ohara.records import dataclass
from ohara.suggest import nearest


@dataclass(frozen=True, slots=True)
class Language:
    """A language: other names people type, endings and whole file names that mean it, interpreters."""

    name: str
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    dialect_of: str | None = None


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _language(
    name: str,
    extensions: str = "",
    *,
    aliases: str = "",
    files: str = "",
    runs: str = "",
    dialect_of: str | None = None,
) -> Language:
    return Language(name, _words(aliases), _words(extensions), _words(files), _words(runs), dialect_of)


# `.h` is C: both languages use it, and only a look inside could tell.
_TABLE: Final = (
    _language("ada", "adb ads"),
    _language("asm", "asm s", aliases="assembly"),
    _language("astro", "astro"),
    _language("bash", "sh bash zsh ksh bats", aliases="sh shell zsh ksh", runs="sh bash zsh ksh dash ash",
              files=".bashrc .bash_profile .bash_aliases .zshrc .zshenv .profile PKGBUILD"),
    _language("batch", "bat cmd", aliases="bat"),
    _language("c", "c h", aliases="h"),
    _language("clojure", "clj cljs cljc edn", aliases="clj"),
    _language("cmake", "cmake", files="CMakeLists.txt"),
    _language("cobol", "cob cbl"),
    _language("coffeescript", "coffee", aliases="coffee"),
    _language("cpp", "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cppm ixx", aliases="c++ cxx cc cplusplus"),
    _language("crystal", "cr"),
    _language("csharp", "cs csx", aliases="c# cs"),
    _language("css", "css"),
    _language("csv", "csv tsv"),
    _language("cuda", "cu cuh"),
    _language("cython", "pyx pxd pxi"),
    _language("d", "d di", aliases="dlang"),
    _language("dart", "dart", runs="dart"),
    _language("diff", "diff patch", aliases="patch"),
    _language("dockerfile", "dockerfile", aliases="docker containerfile", files="Dockerfile Containerfile"),
    _language("elixir", "ex exs", aliases="ex exs", files="mix.lock", runs="elixir"),
    _language("elm", "elm"),
    _language("erlang", "erl hrl escript", aliases="erl", files="rebar.config", runs="escript"),
    _language("fish", "fish", runs="fish"),
    _language("fortran", "f f77 f90 f95 f03 f08 for"),
    _language("fsharp", "fs fsi fsx", aliases="f# fs"),
    _language("gettext", "po pot", aliases="po"),
    _language("git", files=".gitignore .gitattributes .gitmodules .dockerignore .npmignore .eslintignore"),
    _language("gleam", "gleam"),
    _language("glsl", "glsl vert frag comp", aliases="shader"),
    _language("go", "go", aliases="golang"),
    _language("gomod", aliases="go.mod", files="go.mod go.sum go.work go.work.sum"),
    _language("graphql", "graphql gql", aliases="gql"),
    _language("groovy", "groovy gvy gradle", aliases="gradle", files="Jenkinsfile", runs="groovy"),
    _language("haml", "haml"),
    _language("handlebars", "hbs handlebars mustache", aliases="hbs mustache"),
    _language("haskell", "hs lhs", aliases="hs", runs="runhaskell"),
    _language("haxe", "hx"),
    _language("hcl", "hcl", aliases="nomad"),
    _language("html", "html htm xhtml", aliases="htm"),
    _language("ini", "ini cfg conf properties desktop editorconfig", aliases="cfg conf properties",
              files=".editorconfig .gitconfig .npmrc .flake8 .pylintrc .coveragerc"),
    _language("java", "java"),
    _language("javascript", "js mjs cjs jsx es6", aliases="js jsx node mjs cjs", files="Jakefile",
              runs="node nodejs bun"),
    _language("jinja", "j2 jinja jinja2", aliases="jinja2 j2"),
    _language("json", "json jsonc json5 jsonl ndjson geojson webmanifest ipynb", aliases="jsonc json5 jsonl",
              files=".eslintrc .prettierrc .babelrc composer.lock Pipfile.lock"),
    _language("jsonnet", "jsonnet libsonnet"),
    _language("julia", "jl", aliases="jl", runs="julia"),
    _language("just", "just", files="justfile Justfile .justfile"),
    _language("kotlin", "kt kts", aliases="kt kts"),
    _language("latex", "tex sty cls bib", aliases="tex"),
    _language("less", "less"),
    _language("lisp", "lisp lsp cl el", aliases="commonlisp elisp emacs-lisp"),
    _language("lua", "lua luau rockspec", aliases="luau", runs="lua luajit"),
    _language("make", "mk mak make", aliases="makefile gmake",
              files="Makefile makefile GNUmakefile Makefile.am Makefile.in Kbuild"),
    _language("markdown", "md markdown mdx mdown mkd qmd", aliases="md mdx"),
    _language("matlab", "matlab", aliases="octave"),
    _language("meson", files="meson.build meson_options.txt meson.options"),
    _language("nim", "nim nims"),
    _language("nix", "nix"),
    _language("objc", "m mm", aliases="objective-c objectivec obj-c"),
    _language("ocaml", "ml mli mll mly", aliases="ml", runs="ocaml"),
    _language("odin", "odin"),
    _language("pascal", "pas dpr lpr", aliases="delphi"),
    _language("perl", "pl pm pod t", aliases="pl", runs="perl"),
    _language("php", "php phtml php3 php4 php5 phps", runs="php"),
    _language("powershell", "ps1 psm1 psd1", aliases="ps1 pwsh", runs="pwsh"),
    _language("prisma", "prisma"),
    _language("prolog", "prolog plt"),
    _language("proto", "proto", aliases="protobuf"),
    _language("pug", "pug jade"),
    _language("puppet", "pp epp"),
    _language("purescript", "purs"),
    _language("python", "py pyi pyw", aliases="py py3 python3 pyi", files="SConstruct SConscript wscript",
              runs="python python2 python3 pypy pypy3 uv"),
    _language("r", "r rmd", aliases="rlang", files=".Rprofile", runs="rscript"),
    _language("racket", "rkt", runs="racket"),
    _language("rego", "rego"),
    _language("rst", "rst rest", aliases="restructuredtext"),
    _language("ruby", "rb rake gemspec ru erb", aliases="rb",
              files="Rakefile Gemfile Gemfile.lock Vagrantfile Podfile Brewfile Guardfile Fastfile .irbrc",
              runs="ruby jruby"),
    _language("rust", "rs", aliases="rs"),
    _language("sass", "sass"),
    _language("scala", "scala sc sbt", aliases="sbt", runs="scala"),
    _language("scheme", "scm ss sld", aliases="scm", runs="guile"),
    _language("scss", "scss"),
    _language("smalltalk", "st"),
    _language("solidity", "sol", aliases="sol"),
    _language("sql", "sql psql ddl dml mysql pgsql", aliases="psql mysql postgresql plsql"),
    _language("starlark", "bzl star", aliases="bazel bzl",
              files="BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel Tiltfile"),
    _language("stylus", "styl"),
    _language("svelte", "svelte"),
    _language("svg", "svg"),
    _language("swift", "swift", runs="swift"),
    _language("tcl", "tcl exp", aliases="expect", runs="tclsh wish expect"),
    _language("terraform", "tf tfvars", aliases="tf"),
    _language("text", "txt text log", aliases="txt plain",
              files="README LICENSE LICENCE COPYING AUTHORS CONTRIBUTORS CHANGELOG CHANGES NEWS TODO INSTALL "
              "NOTICE MAINTAINERS CODEOWNERS"),
    _language("thrift", "thrift"),
    _language("toml", "toml", files="Cargo.lock poetry.lock uv.lock pdm.lock Pipfile"),
    _language("tsx", "tsx", dialect_of="typescript"),
    _language("twig", "twig"),
    _language("typescript", "ts mts cts", aliases="ts mts cts", runs="deno ts-node tsx"),
    _language("typst", "typ"),
    _language("v", "vsh", aliases="vlang"),
    _language("vala", "vala vapi"),
    _language("verilog", "v sv svh vh", aliases="systemverilog sv"),
    _language("vhdl", "vhd vhdl"),
    _language("vim", "vim", aliases="vimscript viml", files=".vimrc .gvimrc vimrc"),
    _language("visualbasic", "vb vbs bas", aliases="vb vb.net"),
    _language("vue", "vue"),
    _language("wasm", "wat wast", aliases="wat"),
    _language("wgsl", "wgsl"),
    _language("xml", "xml xsd xsl xslt xaml csproj fsproj vbproj props targets plist rss atom resx",
              aliases="xsd xslt"),
    _language("yaml", "yaml yml cff", aliases="yml", files=".clang-format .clang-tidy yarn.lock"),
    _language("zig", "zig zon"),
)  # fmt: skip

LANGUAGES: Final[dict[str, Language]] = {language.name: language for language in _TABLE}

_BY_NAME: Final = {
    alias: language.name for language in _TABLE for alias in (language.name, *language.aliases)
}
_BY_EXTENSION: Final = {ending: language.name for language in _TABLE for ending in language.extensions}
_BY_FILENAME: Final = {name.lower(): language.name for language in _TABLE for name in language.filenames}
_BY_INTERPRETER: Final = {program: language.name for language in _TABLE for program in language.interpreters}

_JOINTS: Final = re.compile(r"[\s._-]+")
_SHORTEST_GUESS: Final = 3  # a name of two letters is one slip away from everything
_LONG_NAME: Final = 6  # from here on two slips still mean the same word

_SHEBANG: Final = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?(?:\w+=\S*\s+)*)?(?:\S*/)?([A-Za-z+-]+)")


def canonical_language(name: str) -> str | None:
    """The one name of a language that may be called by an alias: `c++` is `cpp`, `py` is `python`."""
    return _BY_NAME.get(name.strip().lower())


def language_meant(name: str) -> str | None:
    """The language that an unknown name was probably meant for; none where a guess would be noise.

    An ending of its files (`pyx`), another way to join its words (`visual basic`), its beginning (`pyth`) or
    a name that begins with it (`rustlang`), and for names that are long enough, one or two slips.
    """
    typed = _JOINTS.sub("", name.strip().lower())
    if known := _BY_EXTENSION.get(typed):
        return known
    plain = {_JOINTS.sub("", alias): language for alias, language in _BY_NAME.items()}
    if typed in plain:
        return plain[typed]
    if len(typed) < _SHORTEST_GUESS:
        return None
    names = [alias for alias in plain if len(alias) >= _SHORTEST_GUESS]
    slip = nearest(typed, names, within=1 if len(typed) < _LONG_NAME else 2)
    longer = min((alias for alias in names if alias.startswith(typed)), key=len, default=None)
    shorter = max((alias for alias in names if typed.startswith(alias)), key=len, default=None)
    found = slip or longer or shorter
    return plain[found] if found else None


def languages_named(name: str) -> tuple[str, ...]:
    """Every language a name means: its own and its dialects, so that `typescript` finds `tsx` too."""
    wanted = canonical_language(name)
    if wanted is None:
        return ()
    return (wanted, *(language.name for language in _TABLE if language.dialect_of == wanted))


def language_of(path: str, first_line: str = "") -> str | None:
    """The language of a file by its name, or else by the interpreter its first line names."""
    name = path.rpartition("/")[2].lower()
    if known := _BY_FILENAME.get(name):
        return known
    stem, dot, ending = name.rpartition(".")
    if dot and stem and (known := _BY_EXTENSION.get(ending)):
        return known
    # `Dockerfile.dev` and `Makefile.linux` are what they begin with.
    begins = name.partition(".")[0]
    if begins in {"dockerfile", "containerfile", "makefile"}:
        return _BY_FILENAME[begins]
    shebang = _SHEBANG.match(first_line)
    return _BY_INTERPRETER.get(shebang[1].lower()) if shebang else None
