"""The commands `winnow model train` and `inspect`: models that judge quality or extract text, from files instead of a
run."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import pyarrow as pa
import typer

from curation.core import storage
from curation.core.errors import UserError
from curation.core.verbs import FIT
from pipelines.render import model as render
from pipelines.render.console import Json, answer

app = typer.Typer(help="Train models that judge quality or extract text, and inspect them.", no_args_is_help=True)

LABELLED = ("classifier",)  # fits that learn from documents with labels …
PLAIN = ("ngram_model", "unigrams")  # … and without …
PAGES = ("extractor",)  # … and from pages of archives
KINDS = (*LABELLED, *PLAIN, *PAGES)
SOURCE = "web"  # which archives are a source of: a recipe's fit draws the same pages if it calls its source so
RECORD = "sample.json"  # what was learned from
ROWS = "JSON lines or Parquet"
Where = Annotated[
    str, typer.Option("--where", metavar="SQL", help="Condition over the files' fields, e.g. \"lang = 'en'\".")
]
TextField = Annotated[str, typer.Option("--text", metavar="FIELD", help="Field of the files that holds the text.")]


def _files(name: str, what: str, kinds: str = ROWS) -> Any:
    return typer.Option(name, metavar="FILES", help=f"{what}: {kinds}; a path or glob, may be repeated.")


@app.command()
def train(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"{', '.join(KINDS)}.")],
    output: Annotated[
        str, typer.Option("--output", metavar="FOLDER", help="Folder to write the files of the model to.")
    ],
    positives: Annotated[list[str] | None, _files("--positives", "Good documents")] = None,
    negatives: Annotated[list[str] | None, _files("--negatives", "Other documents")] = None,
    labelled: Annotated[list[str] | None, _files("--labelled", "Documents with a field for the label")] = None,
    files: Annotated[
        list[str] | None, _files("--files", "Documents without labels", f"{ROWS}; for extractor web archives (WARC)")
    ] = None,
    label: Annotated[str, typer.Option("--label", metavar="FIELD", help="Field of --labelled with the label.")] = "",
    positive: Annotated[str, typer.Option("--positive", help="Label of --labelled whose probability counts.")] = "",
    text: TextField = "text",
    where: Where = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="OPTION=VALUE of the fit, as `winnow describe KIND` lists; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a model on files, without a recipe."""
    from curation.account.tune.limits import parse_setting
    from curation.core.manifest import replace_json

    given = {"positives": positives, "negatives": negatives, "labelled": labelled, "files": files}
    _check_files(kind, [name for name, several in given.items() if several])
    if kind in PAGES and (where or text != "text"):
        raise UserError(f"--text and --where are of documents, and {kind} learns from pages: leave them out")
    options = dict(parse_setting(setting, "OPTION=VALUE, e.g. epochs=3") for setting in settings or ())
    examples = {name: {"files": several, "text": text, "where": where} for name, several in given.items() if several}
    if labelled:
        examples["labelled"] |= {"label": label}
    if kind == "ngram_model":
        options.setdefault("halves", False)  # what it judges are other documents, as a rule
    if kind in LABELLED:
        options |= examples | ({"positive": positive} if positive else {})
    fit = _fit(kind, options)
    learned, sample = _learn_pages(fit, files or []) if kind in PAGES else _learn(fit, examples)
    storage.make_folder(output)
    for name, content in learned.items():
        storage.replace_bytes(storage.join(output, name), content)
    record = {
        "model": storage.join(output, fit.asset),
        "kind": kind,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(learned.items())},
        "sample": sample,
    }
    replace_json(storage.join(output, RECORD), record)
    if kind == "ngram_model" and "://" not in output:
        _write_binary(storage.join(output, fit.asset))
    answer(record, lambda console, facts: render.trained(console, facts, learned), as_json=as_json)


@app.command()
def inspect(
    model: Annotated[str, typer.Argument(metavar="FILE", help="Model file.")],
    on: Annotated[list[str] | None, _files("--on", "Documents to score")] = None,
    label: Annotated[str, typer.Option("--label", help="Label whose probability is the score, for a classifier.")] = "",
    pieces: Annotated[
        str, typer.Option("--pieces", metavar="FILE", help="SentencePiece model of the tokens, for an n-gram model.")
    ] = "",
    normalization: Annotated[
        str,
        typer.Option(
            "--normalization",
            help="Text normalization of an n-gram model that does not name its own: none, nfc or ccnet.",
        ),
    ] = "",
    text: TextField = "text",
    where: Where = "",
    page: Annotated[
        str, typer.Option("--page", metavar="FILE", help="HTML file to extract text from, for a learnt extractor.")
    ] = "",
    html: Annotated[
        str,
        typer.Option("--html", metavar="FILE", help="HTML file to write, which shows what is kept of --page and why."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Describe a model file and, with --on, how it scores documents."""
    from curation.extract.student.student_file import is_student
    from curation.models.classifier import classifier_inspection
    from curation.models.classifier.model_file import checked, load
    from curation.models.dsir import dsir_inspection
    from curation.models.ngram import ngram_inspection

    if storage.size(model) >= 0 and is_student(model):
        return _inspect_extractor(model, page, html, as_json=as_json)
    texts = (batch["text"] for _, batch in _rows(on or [], {"text": text, "where": where}))
    if storage.size(model) >= 0 and ngram_inspection.is_ngram_model(model):
        facts = ngram_inspection.inspect(model, texts, normalization=normalization, pieces=pieces)
        return answer({"model": model, **facts}, render.predicted, as_json=as_json)
    if storage.size(model) >= 0 and dsir_inspection.is_dsir(model):
        return answer({"model": model, **dsir_inspection.inspect(model, texts)}, render.weighed, as_json=as_json)
    loaded = checked(model, label=label, scored=False) if on else load(model)
    answer(
        {"model": model, **classifier_inspection.inspect(loaded, texts, label=label)}, render.inspected, as_json=as_json
    )


def _inspect_extractor(model: str, page: str, html: str, *, as_json: bool) -> None:
    from curation.extract.learnt import Learnt
    from curation.extract.student.reasons import verdicts
    from curation.extract.student.student_file import read
    from pipelines.render import extractor_page

    if bool(page) != bool(html):
        raise UserError("--page names the page to read and --html the file to write: give both")
    student, known = read(model)
    facts = {"model": model, "file_bytes": storage.size(model), **known}
    if page:
        reader = Learnt(model=model)
        markup = reader.prepare(storage.read_bytes(page), None).markup
        if markup is None:
            raise UserError(f"{page} has no text, or is past the limits of pages")
        storage.replace_bytes(html, extractor_page.page(page, verdicts(reader.scan(markup), student)).encode())
        facts["html"] = html
    answer(facts, render.taught, as_json=as_json)


def _write_binary(arpa: str) -> None:
    """Beside the model, its form for KenLM where `build_binary` is installed. A recipe's bytes must not depend on that,
    so it writes none."""
    from curation.models.ngram.model_file import write_binary

    write_binary(arpa, arpa.removesuffix(".arpa") + ".binary")


def _check_files(kind: str, given: Sequence[str]) -> None:
    """Raises UserError for an unknown kind, and for options of files that are not for it."""
    from curation.core.close_names import nearest

    if kind not in KINDS:
        raise UserError(f"no kind of model {kind!r}{nearest(kind, KINDS)}")
    for name in given:
        if (name == "files") == (kind in LABELLED):
            hint = "its files have labels" if kind in LABELLED else "give --files"
            raise UserError(f"--{name} is not for {kind}: {hint}")
    if kind not in LABELLED and not given:
        raise UserError(f"{kind} learns from {'web archives' if kind in PAGES else 'documents'}; give --files")


def _learn(fit: Any, given: Mapping[str, Any]) -> tuple[Mapping[str, bytes], Mapping[str, Any]]:
    """The files of the asset and what they were learned from; `given` are a plain fit's options of files."""
    from curation.core.fits import Examples
    from curation.engine.executor.inline import Inline
    from curation.engine.fit.fit_stage import learned
    from curation.engine.fit.groups import EVERYTHING
    from curation.engine.fit.portions import Portion

    examples = fit.examples()
    if examples is None:
        if fit.sample_by:
            raise UserError(f"sample_by is {fit.sample_by!r}, and files have no columns but the text; leave it out")
        examples = {EVERYTHING: Examples(**given["files"])}
    several = []
    for label, one in examples.items():
        if not one.files:
            raise UserError("a chain belongs to a recipe; give files")
        several += [Portion(label, file=file) for file in _example_files(one)]
    return learned(fit, several, Inline())


def _learn_pages(fit: Any, archives: Sequence[str]) -> tuple[Mapping[str, bytes], Mapping[str, Any]]:
    """As `_learn`, from web archives, cut into units as a recipe cuts them that says nothing else."""
    from curation.engine.executor.inline import Inline
    from curation.engine.fit.fit_stage import learned_from_pages
    from curation.engine.recipe.address import list_inputs
    from curation.engine.recipe.recipe import Shards
    from curation.sources.warc import Warc

    source = Warc(paths=tuple(archives))
    shards = Shards()
    units = source.split(
        list_inputs(source.paths), group_bytes=shards.group_mb << 20, split_bytes=shards.split_mb << 20
    )
    return learned_from_pages(fit, source, SOURCE, units, Inline())


def _fit(kind: str, options: dict[str, Any]) -> Any:
    from curation.core.settings import YamlFile
    from curation.engine.recipe.recipe import component_of

    fit: Any = component_of(YamlFile("options", None, {}), (kind,), FIT, options)
    fit.assets()  # which raises if one is missing, before any work
    return fit


def _example_files(examples: Any) -> list[Any]:
    """The files that the examples name, each of which is known to have the fields."""
    from curation.core.protocols import Piece
    from curation.engine.fit.example_files import ExampleFile, check_fields
    from curation.engine.recipe.address import list_inputs

    files = [ExampleFile(Piece.of(file), examples) for file in list_inputs(examples.paths)]
    for file in files:
        check_fields(file)
    return files


def _rows(files: Sequence[str], how: Mapping[str, str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Path and documents of each file, as batches with `text`."""
    from curation.core.fits import Examples
    from curation.engine.fit.example_files import labelled_rows

    for file in _example_files(Examples(files=tuple(files), **how)) if files else ():
        for table in labelled_rows(file, ""):
            for batch in table.to_batches():
                yield file.path, batch.select(["text"])
