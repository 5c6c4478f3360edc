"""The file of a small student, for what loads one."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from curation.extract.student.boosting import Boosting
from curation.extract.student.course import Course, taught
from curation.extract.student.student_file import packed
from tests.curation.extract.student.lessons import add_pages


@cache
def small_model() -> str:
    """Its path, in a folder that goes with the process."""
    course = Course()
    add_pages(course, range(80))
    folder = tempfile.mkdtemp(prefix="winnow-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder) / "extractor.bin"
    student, facts = taught(course, Boosting(trees=40))
    file.write_bytes(packed(student, {**facts, "teacher": ["made"], "pages": 80}))
    return str(file)
