"""The commands `winnow tokenizer train` and `inspect`, which work on a sealed run without a recipe."""

import hashlib
from pathlib import PurePosixPath
from typing import Annotated, Any

import typer

from curation.account.run import Run
from curation.core import storage
from curation.core.errors import UserError
from curation.core.verbs import FIT
from pipelines.commands.ask import RunFolder
from pipelines.render import plots, tokenizer
from pipelines.render.console import Json, answer

app = typer.Typer(help="Train tokenizers on a run's text, and inspect them.", no_args_is_help=True)

StageName = Annotated[str | None, typer.Option("--stage", help="Stage of documents; default: the last one.")]
PIECE_MODEL = "sentencepiece"  # a --model besides those of `fit: tokenizer`
MB = 1_000_000
RECORD = ".sample"  # JSON file beside the output; not named *.json, so that *.json matches tokenizers only


@app.command()
def train(
    run: RunFolder,
    output: Annotated[str, typer.Option("--output", help="File to write: .json, or .model for sentencepiece.")],
    stage: StageName = None,
    config: Annotated[
        str | None, typer.Option("--config", help="YAML file: `tokenizer:` or `sentencepiece:` and its options.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="Kind of tokenizer: byte_bpe (default), bpe, wordpiece, unigram or sentencepiece."
        ),
    ] = None,
    vocab_size: Annotated[int | None, typer.Option("--vocab-size", help="Tokens, special ones included.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="OPTION=VALUE of the fit, as `winnow describe tokenizer` lists; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a tokenizer on the kept text of a run's stage."""
    from curation.account.tokenizers.kept_text import shards_of, text_stages
    from curation.account.tune.limits import parse_setting
    from curation.core.manifest import replace_json
    from curation.engine.executor.inline import Inline
    from curation.engine.fit.fit_stage import learned
    from curation.engine.fit.portions import portions_of
    from curation.tokens.encoders.load_tokenizer import load_text

    options = dict(parse_setting(setting, "OPTION=VALUE, e.g. split_digits=three") for setting in settings or ())
    key, fit = _fit(config, model, ({} if vocab_size is None else {"vocab_size": vocab_size}) | options)
    if PurePosixPath(output).suffix != PurePosixPath(fit.asset).suffix:
        raise UserError(f"--output {output}: a {key} is written as {fit.asset}; use a name with the same ending")
    stages = text_stages(Run.open(run), stage)
    _make_parent(output)
    files, sample = learned(fit, portions_of(shards_of(stages)), Inline())
    content = files[fit.asset]
    storage.replace_bytes(output, content)
    record = {
        "tokenizer": output,
        "fit": key,
        "options": vars(fit),
        "vocabulary": load_text(output).size,
        "file_bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "run": storage.absolute(run),
        "stages": [{"name": stage.name, "address": stage.entry.address} for stage in stages],
        "sample": sample,
    }
    replace_json(output + RECORD, record)
    answer(record, lambda console, trained: tokenizer.trained(console, trained, output + RECORD), as_json=as_json)


@app.command()
def inspect(
    tokenizers: Annotated[list[str], typer.Argument(metavar="TOKENIZER...", help="Files or folders of tokenizers.")],
    run: Annotated[str, typer.Option("--on", metavar="RUN", help="Run whose kept text is sampled.")],
    stage: StageName = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="TOKENIZER", help="Compare numbers of tokens with this one.")
    ] = None,
    widths: Annotated[str, typer.Option(help="Model widths for the sizes of embedding tables.")] = "768,2048,4096",
    sample_mb: Annotated[float, typer.Option(min=0.001, help="Text that is sampled, in MB.")] = 32,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Also draw to a .png or .svg file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare tokenizers: tokens per text by language, source and code, unused tokens, embedding sizes."""
    from curation.account.tokenizers.kept_text import sampled, shards_of, text_stages
    from curation.account.tokenizers.token_groups import COLUMNS
    from curation.account.tokenizers.tokenizer_inspection import inspect as inspect_all
    from curation.tokens.encoders.load_tokenizer import load_text
    from pipelines.render import tokenizer_plot

    if plot is not None:
        plots.check(plot)
        _make_parent(plot)
    sizes = _widths(widths)
    loaded = {name: load_text(name) for name in dict.fromkeys([*tokenizers, *([against] if against else [])])}
    if against in tokenizers:
        raise UserError(f"--against {against} is also in the list to inspect; leave it out there")
    sample = sampled(shards_of(text_stages(Run.open(run), stage)), int(sample_mb * MB), COLUMNS)
    inspections = inspect_all(loaded, sample, against=against, widths=sizes)
    if plot is not None:
        tokenizer_plot.draw(plot, inspections)
    answer(inspections, lambda console, results: tokenizer.inspections(console, results, plot), as_json=as_json)


def _fit(config: str | None, model: str | None, options: dict[str, Any]) -> tuple[str, Any]:
    """The key and the fit, from the file or the options. Raises UserError if they name no fit."""
    from curation.core import catalog
    from curation.core.close_names import nearest
    from curation.core.settings import YamlFile, build, load_yaml

    keys = ("tokenizer", PIECE_MODEL)
    if config is None:
        key = PIECE_MODEL if model == PIECE_MODEL else keys[0]
        document = YamlFile("options", None, {})
        values = options if model in (None, PIECE_MODEL) else {"model": model, **options}
    else:
        if model or options:
            raise UserError("give either --config, or --model, --vocab-size and --set, not both")
        document = load_yaml(storage.read_bytes(config).decode(errors="replace"), config)
        key = next(iter(document.data), "")
        if len(document.data) != 1 or key not in keys:
            raise document.error(
                () if key in keys else (key,), f"expected one of {' or '.join(keys)}{nearest(key, keys)}"
            )
        values = document.data[key] or {}
    return key, build(catalog.find(FIT, key), document, (key,) if config else (), values)


def _make_parent(file: str) -> None:
    """Makes the folder of an output file before any work, so that a bad path shows at once."""
    folder, slash, _ = file.rpartition("/")
    if folder and slash:
        storage.make_folder(folder)


def _widths(text: str) -> list[int]:
    try:
        widths = [int(width) for width in text.split(",") if width.strip()]
    except ValueError:
        widths = [0]
    if not all(width > 0 for width in widths):
        raise UserError(f"--widths {text}: expected whole numbers above 0, e.g. 768,4096")
    return widths
