# Everything from a bare Python >= 3.11: `make app` looks, `make test` checks. `make help` lists the rest.
# Plain POSIX shell and no path made absolute, so a folder with spaces in its name works too.

ADDRESS ?= localhost
PORT    ?=
WORKERS ?= auto
PYTHON  ?=

VENV_PYTHON := .venv/bin/python
APP   := .venv/.installed-app
TEST  := .venv/.installed-test
BENCH := .venv/.installed-bench
DOCS  := .venv/.installed-docs

PIP    := $(VENV_PYTHON) -m pip --disable-pip-version-check --no-input install --quiet
# One BLAS thread a test worker: two workers with two threads each only wait for one another on two cores.
PYTEST := OPENBLAS_NUM_THREADS=1 $(VENV_PYTHON) -m pytest
# File by file in the order of tests/conftest.py; by themselves the workers begin with the files of most tests.
SPREAD := -n $(WORKERS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder
# Run a second time as plain Python, every loop and one case a method: a wrong index raises there, and is silent
# when compiled.
LOOPS  := tests/numerics/test_loops.py tests/landmarks/test_nearest.py \
	tests/landmarks/test_registry.py::test_the_factor_is_that_of_the_landmarks \
	tests/kernels/test_kernels.py::test_close_points_and_far_ones

.NOTPARALLEL:
.PHONY: help app test test-slow mutations lint format browser docs bench classroom reproduce clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo
	@echo "  ADDRESS=localhost  who may reach make app; 0.0.0.0 for the whole network"
	@echo "  PORT=              the port of make app; 8501, or the next free one, when not given"
	@echo "  PYTHON=            the Python that .venv is made from; the first one from 3.11 on when not given"
	@echo "  WORKERS=auto       test processes, at most four"
	@echo "  NYSVIZ_DATA=       the data folder; the user's cache folder when not given"

app: $(APP) ## open the laboratory in the browser
	$(VENV_PYTHON) -m streamlit run app.py --server.address "$(ADDRESS)" $(if $(PORT),--server.port $(PORT))

test: lint browser ## style, types, layers and the tests, some eight minutes
	$(PYTEST) $(SPREAD) -m "not slow"
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(SPREAD) $(LOOPS)

test-slow: browser ## hard input, fuzz, faults, the container and most walks in the browser: half an hour
	$(PYTEST) $(SPREAD) -m slow

mutations: $(TEST) ## small faults, each of which its tests must find: a quarter of an hour
	OPENBLAS_NUM_THREADS=1 $(VENV_PYTHON) -m tests.mutations

lint: $(TEST) ## style, types and layers
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy
	.venv/bin/lint-imports --no-logo

format: $(TEST) ## put imports and layout in order
	$(VENV_PYTHON) -m ruff check --fix-only --quiet .
	$(VENV_PYTHON) -m ruff format .

browser: $(TEST)
	@$(VENV_PYTHON) tests/browser/find_chromium.py --install

docs: $(DOCS) ## the documentation, into site/
	PYTHONPATH=. $(VENV_PYTHON) -m sphinx --quiet --fail-on-warning --fresh-env docs site
	@echo "open site/index.html"

bench: $(BENCH) ## timings against peers and in the browser; run it on a quiet machine
	@$(VENV_PYTHON) tests/browser/find_chromium.py --install
	@for file in benchmarks/[a-z]*.py; do \
		grep -q '__main__' "$$file" || continue; \
		name=$${file#benchmarks/}; \
		echo "== $${name%.py}"; \
		$(VENV_PYTHON) -m "benchmarks.$${name%.py}" || exit 1; \
	done

classroom: $(BENCH) ## 1, 10 and 30 students for five minutes each, as on a host of 1 GiB
	$(VENV_PYTHON) -m benchmarks.classroom --students 1 10 30 --minutes 5 --memory 1024

reproduce: $(APP) ## record the runs behind the claims, about an hour
	$(VENV_PYTHON) -m nysviz record

clean: ## remove what runs leave behind; .venv stays
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist site *.egg-info
	find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +

$(VENV_PYTHON):
	@for candidate in "$(PYTHON)" python3 python3.13 python3.12 python3.11 python3.14 python; do \
		[ -n "$$candidate" ] || continue; \
		if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "making .venv from $$("$$candidate" --version)"; \
			"$$candidate" -m venv --clear .venv && exit 0; \
			exit 1; \
		fi; \
		[ -z "$(PYTHON)" ] || break; \
	done; \
	echo "nysviz needs Python 3.11 or newer with its venv module; $(or $(PYTHON),python3) says:" \
		"$$("$(or $(PYTHON),python3)" --version 2>&1 | head -n 1)" >&2; \
	echo "Install one (on Debian: apt-get install python3-venv), or name it: make PYTHON=/path/to/python3.12" >&2; \
	exit 1

$(APP): requirements.txt $(VENV_PYTHON)
	@echo "installing what the app needs (a minute or two the first time)"
	@$(PIP) -r requirements.txt
	@touch $@

$(TEST): tests/requirements.txt $(APP)
	@echo "installing what the tests need"
	@$(PIP) -r tests/requirements.txt
	@touch $@

$(DOCS): docs/requirements.txt $(APP)
	@echo "installing what the documentation needs"
	@$(PIP) -r docs/requirements.txt
	@touch $@

$(BENCH): benchmarks/requirements.txt $(APP)
	@echo "installing what the benchmarks need"
	@$(PIP) -r benchmarks/requirements.txt
	@touch $@
