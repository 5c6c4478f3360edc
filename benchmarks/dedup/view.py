"""The tables of `benchmarks.dedup`."""

from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figures import empty_table


def show(figures: dict[str, Any]) -> None:
    console = Console(width=150)
    console.print(_texts(figures["texts"]), soft_wrap=True)
    console.print(_runs(figures))
    console.print(_steps(figures["runs"][-1]))
    console.print(", ".join(f"{count:,} {name}" for name, count in figures["runs"][-1]["rows"].items()))
    console.print(_files(figures["runs"][-1]))
    if figures["exponents"]:
        shown = ", ".join(f"{name} {value:.3f}" for name, value in figures["exponents"].items())
        console.print(f"cost by documents, exponent: {shown} (target: at most {figures['targets']['exponent']})")
    if figures["datatrove"]:
        console.print(_peers(figures))


def _texts(texts: dict[str, Any]) -> str:
    near, far = (f"{low:.2f} to {high:.2f}" for low, high in (texts["near_likeness"], texts["far_likeness"]))
    return (
        f"{texts['documents']:,} documents of {texts['mean_bytes']:,.0f} bytes: {texts['exact']:.0%} exact copies, "
        f"{texts['near']:.0%} near ones (likeness {near}), {texts['far']:.0%} far ones (likeness {far}); "
        f"{texts['families']:,} families, the largest of {', '.join(f'{size:,}' for size in texts['largest_families'])}"
    )


def _runs(figures: dict[str, Any]) -> Table:
    start_up = figures["start_up"]
    limit = figures["limit_bytes"]
    title = (
        f"winnow's MinHash stage, {figures['workers']} cores; start-up, {start_up['wall_seconds']:.1f} s "
        f"({start_up['documents']:,} documents), is taken off; memory limit {limit / 1e9:.1f} GB"
    )
    columns = ("s", "CPU s", "documents/s", "peak GB", "GB written", "GB left", "removed", "recall", "precision")
    table = empty_table(title, "documents", *columns)
    for run in figures["runs"]:
        cells = [f"{run['seconds']:.1f}", f"{run['cpu']:.1f}", f"{run['documents_per_second']:,.0f}"]
        over = " (!)" if run["peak_memory_bytes"] > limit else ""
        cells += [f"{run['peak_memory_bytes'] / 1e9:.2f}{over}"]
        cells += [f"{run[name] / 1e9:.3f}" for name in ("bytes_written", "bytes_left")]
        cells += [f"{run['removed_share']:.3%}", f"{run['recall']:.4%}", f"{run['precision']:.4%}"]
        table.add_row(f"{run['documents']:,}", *cells)
    return table


def _steps(run: dict[str, Any]) -> Table:
    table = empty_table(
        f"the steps of {run['documents']:,} documents", "step", "wall s", "CPU s", "work s", "work us/document"
    )
    for name, step in run["steps"].items():
        cells = [f"{step[f'{kind}_seconds']:.2f}" for kind in ("wall", "cpu", "work")]
        table.add_row(name, *cells, f"{1e6 * step['work_seconds'] / run['documents']:.1f}")
    return table


def _files(run: dict[str, Any]) -> Table:
    table = empty_table("files", "kind", "MB", "bytes/document")
    for kind, size in sorted(run["bytes_by_kind"].items(), key=lambda item: -item[1]):
        table.add_row(kind, f"{size / 1e6:,.2f}", f"{size / run['documents']:.2f}")
    return table


def _peers(figures: dict[str, Any]) -> Table:
    target = figures["targets"]["ratio"]
    total = max(run["documents"] for run in figures["runs"])
    title = (
        f"datatrove's four steps; times: our rate on all documents over theirs (target {target:.0f}); same: on theirs"
    )
    columns = ("documents", "s", "CPU s", "documents/s", "start-up s", "peak GB", "removed", "recall", "precision")
    table = empty_table(title, "words", *columns, "times", "same", "CPU")
    for words, peer in figures["datatrove"].items():
        subset = f" of {total:,}" if peer["documents"] < total else ""
        cells = [f"{peer['documents']:,}{subset}", f"{peer['seconds']:.1f}", f"{peer['cpu']:.1f}"]
        cells += [f"{peer['documents_per_second']:,.0f}"]
        cells += [f"{peer['start_up_seconds']:.1f}", f"{peer['peak_memory_bytes'] / 1e9:.2f}"]
        cells += [f"{peer['removed_share']:.3%}", f"{peer['recall']:.4%}", f"{peer['precision']:.4%}"]
        table.add_row(words, *cells, *(f"{peer[name]:.1f}" for name in ("ratio", "ratio_same", "ratio_cpu")))
    return table
