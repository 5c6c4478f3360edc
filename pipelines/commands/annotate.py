"""The command `winnow annotate`: a language model scores documents by a rubric."""

import os
from typing import Annotated, Any

import typer

from curation.core.errors import UserError
from curation.core.json_files import parse_json
from pipelines import api
from pipelines.render import annotate as render
from pipelines.render.console import Json, answer, err
from pipelines.render.progress import AnnotateProgress

KEY = "OPENAI_API_KEY"

Source = Annotated[str, typer.Argument(metavar="RUN|FILE", help="Run folder; or JSON lines or Parquet, also a glob.")]
Output = Annotated[str, typer.Option("--output", metavar="FILE", help="Scores: .parquet or .jsonl.")]
RubricFile = Annotated[str, typer.Option("--rubric", metavar="FILE", help="Rubric, or the name of a shipped one.")]
Url = Annotated[
    str, typer.Option("--endpoint", metavar="URL", help="OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1.")
]
Model = Annotated[str, typer.Option("--model", metavar="NAME", help="Name of the model at the endpoint.")]
Documents = Annotated[int, typer.Option("--documents", min=1, help="Documents to score.")]
Strata = Annotated[
    str | None,
    typer.Option(
        "--strata",
        metavar="SIGNAL",
        help="Sample evenly over the range of this signal, e.g. language.score or language.label.",
    ),
]
NoText = Annotated[bool, typer.Option("--no-text", help="Leave the texts out of the output.")]
Cache = Annotated[
    str | None, typer.Option("--cache", metavar="FILE", help="File of paid answers; default: OUTPUT.answers.")
]
KeyEnv = Annotated[
    str | None, typer.Option("--api-key-env", metavar="NAME", help=f"Variable with the key; default {KEY}, if set.")
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", help="Stop before more than this is spent, earlier answers included.")
]
PriceIn = Annotated[float | None, typer.Option("--price-in", help="Price of a million prompt tokens.")]
PriceOut = Annotated[float | None, typer.Option("--price-out", help="Price of a million answer tokens.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Number of concurrent requests.")]
Timeout = Annotated[float, typer.Option("--timeout", help="Seconds to wait for a reply.")]
Retries = Annotated[int, typer.Option("--retries", min=0, help="Retries of a failed request.")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="Longest answer, in tokens.")]
Body = Annotated[
    str | None,
    typer.Option("--body", metavar="JSON", help="More fields of a request, e.g. '{\"seed\": 1}'; null takes one out."),
]


def annotate(
    source: Source,
    output: Output,
    rubric: RubricFile,
    endpoint: Url,
    model: Model,
    documents: Documents = 1000,
    strata: Strata = None,
    no_text: NoText = False,
    cache: Cache = None,
    api_key_env: KeyEnv = None,
    max_cost: MaxCost = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    concurrency: Concurrency = 16,
    timeout: Timeout = 60.0,
    retries: Retries = 5,
    max_tokens: MaxTokens = 512,
    body: Body = None,
    as_json: Json = False,
) -> None:
    """Score a sample of documents by a rubric with a language model; the same command resumes without paying twice."""
    from curation.account.annotate.budget import Prices
    from curation.account.annotate.endpoint import Endpoint

    asked = Endpoint(
        url=endpoint,
        model=model,
        key=_key(api_key_env),
        key_env=api_key_env or KEY,
        timeout=timeout,
        retries=retries,
        concurrency=concurrency,
        body={"max_tokens": max_tokens, **_fields(body)},
    )
    prices = Prices(price_in=price_in, price_out=price_out, max_cost=max_cost)
    options: dict[str, Any] = {"documents": documents, "strata": strata, "cache": cache, "with_text": not no_text}
    with AnnotateProgress(err) as bars:
        result = api.annotate(
            source, output, rubric=rubric, endpoint=asked, prices=prices, on_progress=bars.update, **options
        )
    answer(result, render.annotations, as_json=as_json)


def _key(name: str | None) -> str:
    """The key of the endpoint; "" where the default variable is not set, as for a local server."""
    if name is not None and not os.environ.get(name):
        raise UserError(
            f"--api-key-env {name}: there is no such variable, or it is empty; name the variable, not the key"
        )
    return os.environ.get(name or KEY, "").strip()


def _fields(body: str | None) -> dict[str, Any]:
    try:
        fields = parse_json((body or "{}").encode())
    except ValueError as error:
        raise UserError(f"--body is not JSON: {error}") from error
    if not isinstance(fields, dict) or fields.keys() & {"messages", "model", "stream", "n"}:
        raise UserError("--body must be a JSON object of request fields, without messages, model, stream and n")
    return fields
