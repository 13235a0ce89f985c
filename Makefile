# The tasks of the project; `make` prints them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
LANGUAGES := .venv/.languages
SOURCES := manage.py platform_site importer licensing catalogs documents demo tests
# A demo keeps its data in a folder of its own, unless another is asked for.
export DEMO_DATA := $(or $(Platform__DataPath),data)

.PHONY: help install demo serve test test-fast drill lint format types imports \
	migrations-check check bench bench-quick performance soak reliability messages schema outcomes errors words requirements pictures lock wheels \
	released-migrations

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) $(LANGUAGES) ## Create .venv with everything from the lock file, and the languages

$(STAMP): requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; run: make install PYTHON=python3.11" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

$(LANGUAGES): $(STAMP) $(wildcard */locale/*/LC_MESSAGES/*.po locale/*/LC_MESSAGES/*.po)
	@$(BIN)/python -m platform_site.site.publishing.languages compile
	@touch $@

demo: install ## Create an installation with the demo company in ./data and serve it
	@export Platform__DataPath="$$DEMO_DATA" Demo__Seed=true; \
	exec $(BIN)/python manage.py serve

serve: install ## Serve this folder's installation
	exec $(BIN)/python manage.py serve

test: install ## Run all tests, on SQLite and then on PostgreSQL
	$(BIN)/python -m pytest
	Provider=PostgreSql $(BIN)/python -m pytest -rs

test-fast: install ## Run the tests that need neither database nor server process
	$(BIN)/python -m pytest -m "not django_db and not process"

drill: install ## Run the long drills: crashes, random input, load (hours)
	DRILL=1 $(BIN)/python -m pytest -n 0 -m drill

lint: install ## Check style, format and unsafe code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive $(filter-out tests,$(SOURCES))

format: install ## Mend style and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: install ## Check types
	$(BIN)/mypy $(filter-out tests,$(SOURCES))

imports: install ## Check that everything imports downwards only
	PYTHONPATH=. $(BIN)/lint-imports

migrations-check: install ## Check that no migration is missing
	@# Without a database Django warns that it cannot compare its history; none is needed.
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

check: lint types imports migrations-check test ## Everything; this is what CI runs

bench: install ## Measure everything and check the goals (about two hours, on an idle machine)
	$(BIN)/python -m tests.benchmarks --json benchmarks.json $(if $(TRYTON),--tryton $(TRYTON))

bench-quick: install ## Count statements, transactions and queries
	$(BIN)/python -m pytest -m counts

performance: install ## Write docs/performance.md from the last benchmarks
	$(BIN)/python -m tests.benchmarks.publish benchmarks.json

soak: install ## Work for half an hour on one node, and on three: is everything flat? (PostgreSQL)
	@missed=0; for nodes in 1 3; do \
		$(BIN)/python -m tests.benchmarks.soak --nodes $$nodes --json soak-$$nodes.json || missed=1; \
	done; exit $$missed

reliability: install ## Write the last soaks into docs/reliability.md
	$(BIN)/python -m tests.benchmarks.soak.publish soak-1.json soak-3.json

wheels: install ## Build the distribution of the importer into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist ./importer

messages: install ## Gather the texts to translate into the language files
	$(BIN)/python -m platform_site.site.publishing.languages messages

schema: install ## Write the JSON Schema of packages into docs/
	$(BIN)/python manage.py import_schema docs/package.schema.json

outcomes: install ## Write the table of import outcomes into docs/
	$(BIN)/python -m tests.house.outcome_table

errors: install ## Write the list of the API's errors into docs/
	$(BIN)/python -m tests.house.errors_page

words: install ## Add new words of the API to the list of published ones
	DJANGO_SETTINGS_MODULE=platform_site.settings.test $(BIN)/python -m tests.site.api.frozen

requirements: install ## Write the requirements and their tests into docs/
	$(BIN)/python -m tests.house.requirements

released-migrations: install ## Add new migrations to the list of released ones
	$(BIN)/python -m tests.house.released_migrations

pictures: install ## Take the pictures of docs/ anew, and every page on sheets (needs chromium)
	$(BIN)/python -m pytest -q -n 0 -s tests/journeys/take_pictures.py tests/journeys/contact_sheet.py

lock: ## Make the lock files anew from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --generate-hashes --no-emit-index-url --universal --python-version 3.11 -o requirements.lock
	uv pip compile pyproject.toml --extra dev --extra bench --extra mcp --generate-hashes --no-emit-index-url --universal --python-version 3.11 -o requirements-dev.lock
