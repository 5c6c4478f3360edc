"""The rows of input files: their fractions, parts of one file added up, and how they are told."""

from curation.core.input_rows import InputRows, rows_by_file


def read(file: str, rows: int, lines: int = 0) -> InputRows:
    return InputRows(file, read=rows, lines=lines)


def test_rows_that_failed_are_told_with_the_first() -> None:
    rows = read("a.jsonl", 2)
    rows.fail("bad_json", 5321, "not JSON: Unterminated string", 31)
    rows.fail("bad_json", 9000, "not JSON: Expecting value", 40)
    assert rows.words() == "2 of 4 lines are not JSON, first at line 31 (byte 5,321): Unterminated string"
    assert rows.failed_fraction == 0.5


def test_one_row_of_several_causes_and_none_that_can_be_read() -> None:
    rows = read("a", 1)
    rows.fail("long_line", 7, "longer than 3 bytes")
    assert rows.words() == "1 of 2 lines is too long, first at byte 7: longer than 3 bytes"
    rows.fail("bad_json", 9, "x")
    assert rows.words().startswith("2 of 3 lines are too long, not JSON, first at byte 7")
    archive = InputRows("a.warc.gz", "record")
    archive.fail("damaged", 0, "no record begins here")
    assert archive.words() == "no record could be read, first at byte 0: no record begins here"
    archive.fail("damaged", 5, "again")
    assert archive.words().startswith("none of 2 records could be read")


def test_an_empty_file_has_not_failed() -> None:
    assert read("a", 0).failed_fraction == 0.0


def test_parts_of_a_file_add_up_in_their_order() -> None:
    second = read("a", 1, lines=3)
    second.fail("bad_json", 90, "bad", 2)
    third = read("a", 0, lines=1)
    third.fail("bad_json", 95, "worse", 1)
    parts = [part.plain() for part in (read("a", 5, lines=5), read("b", 7), second, third)]
    one, other = rows_by_file(parts)
    assert (one.read, one.rows, one.lines, other.read) == (6, 8, 9, 7)
    assert one.words() == "2 of 8 lines are not JSON, first at line 7 (byte 90): bad"
    assert rows_by_file([one.plain()]) == [one]
