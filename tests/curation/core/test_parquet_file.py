"""A Parquet file that is gone or damaged is one error that names it, whenever that shows."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.core.parquet_file import open_parquet, read_groups

TABLE = pa.table({"text": [f"line {number} of the text" for number in range(2000)]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "part.parquet", row_group_size=500, compression="zstd", use_dictionary=False)
    return tmp_path / "part.parquet"


def test_a_whole_file(path: Path) -> None:
    with open_parquet(str(path)) as file:
        metadata = file.metadata
        assert file.read() == TABLE
    with open_parquet(str(path), metadata) as file:
        assert file.num_row_groups == 4
    assert pa.concat_tables(read_groups(str(path))) == TABLE


@pytest.mark.parametrize("keep", [0, 3, 500, -1])
def test_a_file_cut_short(path: Path, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])
    with (
        pytest.raises(InputError, match=r"part\.parquet cannot be read as Parquet: .*copy it again"),
        open_parquet(str(path)),
    ):
        pass


def test_a_damaged_page(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:40] + bytes(400) + content[440:])
    with pytest.raises(InputError, match=r"part\.parquet cannot be read as Parquet"):
        list(read_groups(str(path)))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file at .*none\.parquet"), open_parquet(str(tmp_path / "none.parquet")):
        pass


def test_what_is_written_between_row_groups_keeps_its_error(path: Path) -> None:
    def write() -> None:
        for _ in read_groups(str(path)):
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        write()


def test_a_file_of_another_user_is_not_called_damaged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:  # root, who may run the tests, may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pq, "ParquetFile", refused)
    with (
        pytest.raises(InputError, match=r"cannot read .*part\.parquet: Permission denied; check its permissions$"),
        open_parquet(str(path)),
    ):
        pass
