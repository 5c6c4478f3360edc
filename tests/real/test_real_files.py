"""Each source finds in files that publishers wrote what an independent reader finds. They are not in the repository:
`tests/real/take.py` says how to get them."""

import os
from collections import Counter
from pathlib import Path

import pytest

from curation.core import catalog
from curation.core.input_files import list_files
from curation.core.protocols import ReadTally, Source
from curation.core.verbs import READ
from tests.real.real_files import RealFile, real_files

FILES = os.environ.get("WINNOW_REAL_FILES", "")
LISTED = list(real_files())


def test_each_is_listed_once() -> None:
    places = Counter((file.kind, file.repository, file.path) for file in LISTED)
    assert {place for place, times in places.items() if times > 1} == set()


def test_the_guide_has_their_numbers() -> None:
    guide = Path(__file__).parents[2].joinpath("docs/sources.md").read_text()
    rows = {line.split("`")[1]: line for line in guide.splitlines() if line.startswith("| `")}
    for kind in {file.kind for file in LISTED}:
        files = [file for file in LISTED if file.kind == kind]
        found = f"{sum(file.documents for file in files):,}"
        told = f"| {len(files)} ({len({file.repository for file in files})}) | {found}, {found} | "
        assert f"{told}{sum(file.faults for file in files)} |" in rows[kind]


@pytest.mark.skipif(not FILES, reason="WINNOW_REAL_FILES names no folder with the files; see tests/real/take.py")
@pytest.mark.parametrize("file", LISTED, ids=lambda file: f"{file.kind}:{file.repository}/{file.path}")
def test_a_real_file_has_its_documents(file: RealFile) -> None:
    path = file.within(Path(FILES))
    if not path.exists():
        pytest.skip(f"{path} is missing")
    source = catalog.find(READ, file.kind)(paths=(str(path),), **file.options)
    assert isinstance(source, Source)
    tally = ReadTally()
    units = source.split(list_files(str(path)), group_bytes=1 << 40, split_bytes=1 << 40)
    reasons = [
        reason
        for unit in units
        for batch in source.read(unit, "real", tally)
        for reason in batch["drop_reason"].to_pylist()
    ]
    dropped = Counter(reasons)
    assert (dropped.pop(None, 0), dict(dropped)) == (file.documents, file.dropped)
    found = {name: count for name, count in tally.records.items() if not name.startswith("lenient.")}
    assert (found, len(tally.faults)) == ({**file.records}, file.faults)
