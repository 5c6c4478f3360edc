"""What cannot be tried gets one clear error, and a run that is cut short says so."""

import json
import shutil
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.errors import InputError, UserError
from tests.curation.account.corpus import curate, tried

WORDS = "gopher_quality.min_words"


def test_a_run_that_is_not_finished(corpus: Path, tmp_path: Path) -> None:
    run = shutil.copytree(curate(corpus).folder, tmp_path / "run")
    record = json.loads((run / "run.json").read_text())
    for stages, names in ((3, ["language", "gopher"]), (1, [])):
        (run / "run.json").write_text(json.dumps(record | {"stages": record["stages"][:stages], "complete": False}))
        if names:
            found = tried(Run.open(run), quantile=0.99)
            assert list(found) == names
            assert all("the run is not finished" in one.notes[0] for one in found.values())
    with pytest.raises(InputError, match="this run has no finished filter stage"):
        tried(Run.open(run))


def test_limits_of_a_cascade_are_not_tried(corpus: Path, tmp_path: Path) -> None:
    run = shutil.copytree(curate(corpus).folder, tmp_path / "run")
    (file,) = run.glob("*-read-*/_manifest.json")
    manifest = json.loads(file.read_text())
    file.write_text(json.dumps(manifest | {"limits": [{"rule": "c4_quality.sentences", "at_least": 3}]}))
    with pytest.raises(InputError, match="c4_quality: read uses it to choose a page's parser"):
        tried(Run.open(run), "c4_quality.min_sentences=1")


def test_mistakes(corpus: Path) -> None:
    run = curate(corpus)
    for settings, options, message in (
        (["gopher_qualty.min_words=3"], {}, "no rule set 'gopher_qualty'; did you mean 'gopher_quality'"),
        (["gopher_quality.min_word=3"], {}, "no option 'min_word'; did you mean 'min_words'"),
        (["gopher_quality.min_words=many"], {}, "min_words=many: min_words: expected a whole number"),
        (["gopher_quality.min_words=100001"], {}, "gopher_quality.min_words: 100,001 is above max_words 100,000"),
        (["gopher_quality.by_language.de.words=3"], {}, "no limit 'words'"),
        (["gopher_quality.by_language=3"], {}, "expected KEY.by_language.LANGUAGE.LIMIT=VALUE"),
        (["gopher_repetition.variant=dolma"], {}, "has an effect only with variant: paper or datatrove or dclm"),
        (["gopher_quality.by_language.de.variant=dolma"], {}, "no limit 'variant'"),
        (["language.model=other.bin"], {}, "model limits no signal that this run measured"),
        (["gopher_quality.min_words=.inf"], {}, "whole number, got inf"),
        ([f"{WORDS}=3"], {"stage": "language"}, "stage language has no rule set 'gopher_quality'"),
        ([], {"stage": "dedup"}, "no filter stage 'dedup'"),
        ([], {"quantile": 0.9, "sigma": 3.0}, "not both"),
        ([], {"quantile": 1.5}, "got 1.5"),
        ([], {"sigma": -1.0}, "got -1.0"),
    ):
        with pytest.raises((InputError, UserError), match=message.replace("(", r"\(")):
            tried(run, *settings, **options)
