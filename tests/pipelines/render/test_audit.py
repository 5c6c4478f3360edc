"""What `winnow audit` prints of small runs."""

import shlex
from pathlib import Path

from curation.account.run import Run
from pipelines.render.audit import audit
from tests.curation.account.audit.planted import curate, even, page, planted
from tests.pipelines.render.printed import printed


def audited(run: Run, *kinds: str) -> list[str]:
    return printed(audit, run.audit(by=kinds))


def test_a_disparity_with_its_documents(tmp_path: Path) -> None:
    run = curate(tmp_path / "a b", planted())
    lines = audited(run, "country", "domain")
    stage = lines[lines.index("gopher: 180 documents, 62 dropped (34.4 %)") :]
    red = next(line for line in stage if line.split()[:2] == ["domain", "red.de"]).split()
    assert red[2:8] == ["60", "50", "83.3", "%", "10.0", "%"]
    assert red[-2:] == ["gopher_quality.words:low", "(50)"]
    german = next(line for line in stage if line.split()[:2] == ["country", "de"])
    assert "10.0 % (one domain)" in german
    assert "58.9 %" in german
    assert "dropped less often: country (generic) (10.0 %)" in " ".join(lines)
    folder = shlex.quote(run.folder)
    assert f"  winnow show {folder} gopher --reason gopher_quality.words:low" in lines
    assert sum(line.startswith(f"  winnow why {folder} --doc-id ") for line in lines) == 2
    assert (
        "worst of gopher: domain red.de, dropped as gopher_quality.words:low, furthest beyond the limit first" in lines
    )
    assert "limits of the method" in lines


def test_none(tmp_path: Path) -> None:
    lines = audited(curate(tmp_path, even()), "country")
    assert "  dropped more often than the rest: no group, beyond chance" in lines
    assert not any(line.startswith("worst of") for line in lines)


def test_associations(tmp_path: Path) -> None:
    women = [page(n, f"w{n}.org", text=f"Her mother and wife are [b]beautiful[/b] {n}") for n in range(40)]
    lines = audited(curate(tmp_path, [women, [page(n, "x.org") for n in range(50)]]), "mention")
    (line,) = [line.split() for line in lines if "beautiful" in line and "appearance" in line]
    assert line[:3] == ["women", "beautiful", "appearance"]
    assert line[3:] == ["+1.00", "40", "40", "0", "0"]
