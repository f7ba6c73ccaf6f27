# Everything sets itself up in .venv; only Python 3.11 or newer and make are needed. A PYTHON that is given, as in
# `make test PYTHON=python3.13`, has a .venv-VERSION of its own.
ifeq ($(origin PYTHON),undefined)
PYTHON := python3
VENV := .venv
else
VERSION := $(shell "$(PYTHON)" -c "import platform; print(platform.python_version())")
VENV := .venv-$(or $(VERSION),$(error PYTHON=$(PYTHON) is no Python))
endif
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP := $(VENV)/.installed

.PHONY: demo test tests quick slow-list browser screenshots test-everywhere test-elsewhere test-windows check bench ranking compare fuzz load machines frameworks bundle docs clean

demo: export VAULTTOOLS_MEANING := off
demo: $(STAMP)  ## a question to the shipped vault
	@$(BIN)/vaulttools --vault fixtures/vault query "how long do onion seeds keep" --limit 1

test: check  ## lint, types, and all tests
	@$(MAKE) --no-print-directory tests

tests: TESTS ?= tests
tests: $(STAMP)
	$(BIN)/python -W error::EncodingWarning -X warn_default_encoding -m pytest -n auto -q $(TESTS)

quick: check  ## lint, types, and the tests that tests/slow.txt does not name
	@$(MAKE) --no-print-directory tests TESTS="--quick tests"

slow-list: $(STAMP)  ## run all tests, and name the slow ones in tests/slow.txt
	@$(MAKE) --no-print-directory tests TESTS="--list-slow tests"

browser: $(STAMP)  ## what tests of the page in a browser need: Playwright, and Chromium where root can have it in a minute
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[browser]"
	@command -v chromium >/dev/null || (apt-get update -qq && timeout 60 apt-get install -y -qq --no-install-recommends chromium) >/dev/null 2>&1 \
	|| echo "No Chromium could be installed: the page is not tested in a browser."

screenshots: browser  ## take the pictures of the page in the documentation
	$(BIN)/python docs/screenshots.py
	$(BIN)/python docs/terminal.py

test-everywhere: check  ## all tests under every Python that is installed, and without a file watch
	$(BIN)/python tests/everywhere.py

test-elsewhere: $(STAMP)  ## links, queries, the index and what must stay closed, under the other Pythons and without a file watch
	$(BIN)/python tests/everywhere.py --part

test-windows:  ## all tests under a CPython for Windows, by Wine: on Debian, as root; the first run sets it up in one to three minutes
	tests/windows.sh -m pytest -n 2 -q -p no:cacheprovider $(or $(TESTS),tests)

check: $(STAMP)  ## lint and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

bench: $(STAMP)  ## measure side by side with ripgrep
	$(BIN)/python benchmarks/run.py

ranking: $(STAMP)  ## measure how good ranked search is
	$(BIN)/python benchmarks/ranking.py

compare: $(STAMP)  ## measure beside other servers, which it installs outside the repository
	$(BIN)/python benchmarks/compare.py

fuzz: export VAULTTOOLS_FUZZ_SECONDS ?= 180
fuzz: $(STAMP)  ## the long run of what is fuzzed and of the faults that are injected: so many seconds for each target
	$(BIN)/python -m pytest -n auto -q --timeout 3600 tests/test_fuzz.py tests/test_hostile.py tests/test_injection.py tests/test_mover.py tests/index/test_sqlite_faults.py
	VAULTTOOLS_EXAMPLES=1000 $(BIN)/python -m pytest -n auto -q --timeout 3600 -m hypothesis tests

load: $(STAMP)  ## fifty clients for a minute, over MCP, REST and pages, while notes change
	$(BIN)/python benchmarks/load.py

machines: $(STAMP)  ## two servers behind nginx for three minutes; one goes away and comes back
	$(BIN)/python benchmarks/machines.py

frameworks: $(STAMP)  ## the examples in docs/frameworks.md, with the packages that they name: 600 MB
	VAULTTOOLS_FRAMEWORKS=1 $(BIN)/python -m pytest -n 2 -q tests/server/mcp/test_frameworks.py

bundle: $(STAMP)  ## dist/*.mcpb, which Claude Desktop installs by a double click
	$(BIN)/python distribution/bundle.py

docs: $(STAMP)  ## rewrite what is derived from the registry
	$(BIN)/python docs/generate.py

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@$(BIN)/python -c "open('$(STAMP)', 'w').close()"
