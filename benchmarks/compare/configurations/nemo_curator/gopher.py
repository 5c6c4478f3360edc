import sys

from nemo_curator.backends.xenna import XennaExecutor
from nemo_curator.pipeline import Pipeline
from nemo_curator.stages.text.filters import ScoreFilter
from nemo_curator.stages.text.filters.heuristic import (
    BulletsFilter,
    CommonEnglishWordsFilter,
    EllipsisFilter,
    MeanWordLengthFilter,
    SymbolsToWordsFilter,
    WordCountFilter,
    WordsWithoutAlphabetsFilter,
)
from nemo_curator.stages.text.filters.heuristic.repetition import (
    RepeatedLinesByCharFilter,
    RepeatedLinesFilter,
    RepeatedParagraphsByCharFilter,
    RepeatedParagraphsFilter,
    RepeatingDuplicateNGramsFilter,
    RepeatingTopNGramsFilter,
)
from nemo_curator.stages.text.io.reader import JsonlReader
from nemo_curator.stages.text.io.writer import JsonlWriter

folder, output = sys.argv[1:]
filters = [
    WordCountFilter(min_words=50, max_words=100_000),
    MeanWordLengthFilter(min_mean_word_length=3, max_mean_word_length=10),
    SymbolsToWordsFilter(max_symbol_to_word_ratio=0.1),
    BulletsFilter(max_bullet_lines_ratio=0.9),
    EllipsisFilter(max_num_lines_ending_with_ellipsis_ratio=0.3),
    WordsWithoutAlphabetsFilter(min_words_with_alphabets=0.8),
    CommonEnglishWordsFilter(min_num_common_words=2),
    RepeatedLinesFilter(0.7),
    RepeatedParagraphsFilter(0.7),
    RepeatedLinesByCharFilter(0.8),
    RepeatedParagraphsByCharFilter(0.8),
    *(RepeatingTopNGramsFilter(n, most) for n, most in ((2, 0.2), (3, 0.18), (4, 0.16))),
    *(RepeatingDuplicateNGramsFilter(n, (20 - n) / 100) for n in range(5, 11)),
]
pipeline = Pipeline(name="gopher")
pipeline.add_stage(JsonlReader(file_paths=folder, files_per_partition=1, fields=["text", "id"]))
pipeline.add_stage(ScoreFilter(filters))
pipeline.add_stage(JsonlWriter(path=f"{output}/kept"))
pipeline.run(XennaExecutor({"execution_mode": "batch"}))
