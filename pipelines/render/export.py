"""What `winnow export` says of the files that it wrote."""

from typing import Any

from rich.console import Console

from pipelines.render.console import say

NOTED = 0.01  # of a source's share of the tokens: a smaller difference to the mix is rounding


def export(out: Console, err: Console, form: str, result: Any) -> None:
    """Says what each file holds; of Megatron-Core prints the options."""
    if form in ("text", "nanochat"):
        for file in result.files:
            say(err, f"{file.name}: {file.documents:,} documents, {file.bytes:,} bytes")
        say(err, f"{result.documents:,} documents with {', '.join(result.columns)} in {result.output}")
        return
    for file in result["files"]:
        name = file["prefix"] if form == "megatron" else file["name"]
        amounts = "{rows:,} rows" if form == "parquet" else "{documents:,} documents, {tokens:,} tokens"
        say(err, f"{name}: {amounts.format(**file)}")
    if any(abs(one["share"] - one["mix_share"]) > NOTED for one in result.get("shares", ())):
        shares = ", ".join(
            f"{one['source']} {one['share']:.1%} (mix: {one['mix_share']:.1%})" for one in result["shares"]
        )
        say(err, f"nanoGPT knows no weights, so the tokens of train.bin are {shares}")
    for phase, line in result.get("data_path", {}).items():
        say(err, f"phase {phase}:")
        out.print(line, soft_wrap=True, highlight=False, markup=False)
