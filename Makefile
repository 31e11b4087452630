# ohara, from a fresh checkout. The first run makes .venv and installs into it; later runs go straight to work.
#
#   make find q="retry with backoff" [repo=PATH]    search a repository's history (default: where make runs)
#   make tui [q="..."] [repo=PATH]                  search and browse it on screen
#   make test                                       everything: checks and tests
#   make check                                      format, lint, types and import contracts
#   make format                                     rewrite the source in the project's format
#   make bench repos="NAME=PATH ..."                measure answers and speed beside git, on clones of your own
#   make bench-quick                                try the benchmark itself on a small scripted history
#   make soak [minutes=30] [seed=TEXT] [repo=PATH]  kill, rewrite and fuzz for hours (kills=300 histories=1000 inputs=1000000)
#
# Needs make, git, Python 3.11 or newer and a package registry. PYTHON=/path/to/python chooses another one.

SHELL := /bin/sh
.SUFFIXES:
.DEFAULT_GOAL := help
.PHONY: help find tui test check format bench bench-quick soak FORCE

# Relative when make runs in the checkout, so that a path with spaces above it does no harm.
ROOT := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
VENV := $(ROOT)/.venv

# The query and the path reach the shell through the environment, never as part of its text: quotes, dollars
# and backslashes arrive as they were typed. `value` keeps make from expanding them first.
REPO_GIVEN := $(filter command line,$(origin repo))
override q := $(value q)
override repo := $(if $(value repo),$(value repo),$(CURDIR))
export OHARA_MAKE_Q := $(value q)
export OHARA_MAKE_REPO := $(value repo)

# Versions that the checks and tests are known to pass with; `make test CONSTRAINTS=` takes the newest.
CONSTRAINTS ?= $(ROOT)/constraints.txt

# A virtual environment whose interpreter is gone is none: everything is installed again.
GONE := $(shell test -x "$(VENV)/bin/python" || echo FORCE)

help:
	@sed -n 's/^#   *\(make .*\)/\1/p' "$(ROOT)/Makefile"

# Nothing found (1) is an answer, not a failure of make.
find: $(if $(value q),$(VENV)/.stamp-run)
	@test -n "$$OHARA_MAKE_Q" || { echo 'usage: make find q="what you look for" [repo=PATH]' >&2; exit 2; }
	@"$(VENV)/bin/ohara" find --repo "$$OHARA_MAKE_REPO" -- "$$OHARA_MAKE_Q" || test $$? -eq 1

tui: $(VENV)/.stamp-run
	@"$(VENV)/bin/ohara" tui --repo "$$OHARA_MAKE_REPO" -- "$$OHARA_MAKE_Q"

# A file's tests stay in one process: what they share is made once.
test: check
	cd "$(ROOT)" && .venv/bin/python -m pytest -n auto --maxprocesses 8 --dist loadfile

check: $(VENV)/.stamp-dev
	cd "$(ROOT)" && .venv/bin/ruff format --check --quiet .
	cd "$(ROOT)" && .venv/bin/ruff check --quiet .
	cd "$(ROOT)" && .venv/bin/mypy
	cd "$(ROOT)" && .venv/bin/lint-imports --no-logo

format: $(VENV)/.stamp-dev
	cd "$(ROOT)" && .venv/bin/ruff format .
	cd "$(ROOT)" && .venv/bin/ruff check --fix .

# Tables on stdout, JSON in a temporary folder; `python -m tests.bench -h` says what else it can do.
bench: $(VENV)/.stamp-dev
	@test -n "$(repos)" || { echo 'usage: make bench repos="NAME=PATH ..." (clones of your own)' >&2; exit 2; }
	cd "$(ROOT)" && .venv/bin/python -m tests.bench all $(foreach one,$(repos),--repo "$(one)")
	cd "$(ROOT)" && .venv/bin/python -m tests.bench docs

bench-quick: $(VENV)/.stamp-dev
	cd "$(ROOT)" && .venv/bin/python -m tests.bench quick

# Goes on where it stopped when it is started again on the same day (seed) and commit. `repo` names a real history
# to kill in as well; where make runs is none.
soak: $(VENV)/.stamp-dev
	cd "$(ROOT)" && .venv/bin/python -m tests.soak $(foreach name,kills histories inputs minutes seed jobs,$(if $($(name)),--$(name) "$($(name))")) $(if $(REPO_GIVEN),--repo "$$OHARA_MAKE_REPO")

# -- installing, once ------------------------------------------------------------------------------

# What an installation is made of; Python's own files are used where they are.
INSTALLED := $(ROOT)/pyproject.toml $(ROOT)/hatch_build.py $(wildcard $(ROOT)/ohara/speedups/*.[ch])

$(VENV)/.stamp-run: $(INSTALLED) $(GONE)
	@$(make-venv)
	@echo "installing ohara into $(VENV), once ..." >&2
	@$(pip-install) -e "$(ROOT)"
	@touch "$@"

$(VENV)/.stamp-dev: $(INSTALLED) $(ROOT)/constraints.txt $(GONE)
	@$(make-venv)
	@echo "installing ohara and its development tools into $(VENV), once ..." >&2
	@$(pip-install) $(if $(CONSTRAINTS),-c "$(CONSTRAINTS)") -e "$(ROOT)[dev]"
	@touch "$(VENV)/.stamp-run" "$@"

pip-install = "$(VENV)/bin/python" -m pip install --quiet --disable-pip-version-check

# ensurepip is asked for because some distributions split it off, and a venv without pip is of no use here.
define make-venv
test -x "$(VENV)/bin/python" && exit 0; \
for python in $${PYTHON:-python3.13 python3.12 python3.11 python3}; do \
  "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
  echo "making $(VENV) with $$python ..." >&2; \
  rm -rf "$(VENV)"; "$$python" -m venv "$(VENV)" && exit 0; rm -rf "$(VENV)"; exit 1; \
done; \
echo "ohara needs Python 3.11 or newer with its venv module, and found none of: $${PYTHON:-python3.13 python3.12 python3.11 python3}" >&2; exit 1
endef

FORCE:
