"""A case: what is timed of ours, what of a public peer, and how their results are checked to agree; and its driver.

A benchmark is a module with `run(options)`, which yields cases and tables of figures, and `add_options(parser)` where
it has options. `python -m benchmarks NAME` runs it.
"""

import importlib
import json
import os
import platform
import resource
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ALWAYS = ("numpy", "pyarrow", "numba")  # whose versions every result names


class DisagreementError(Exception):
    """Ours and the peer's results differ where they must not."""


class AbsentError(Exception):
    """A peer or its data is not here; says what to run. What needs it is skipped."""


@dataclass(frozen=True)
class Timed:
    """A result with its own seconds, such as those of another process; they count in place of the driver's clock."""

    result: Any
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Case:
    """`amounts` is what one call works on ("MB" -> 12.3): its first is shown per second. A slow peer may be given less,
    and fewer rounds. `agree(ours, peer's)` says how alike the results are, or raises DisagreementError."""

    name: str
    amounts: Mapping[str, float]
    ours: Callable[[], Any]
    peer: Callable[[], Any] | None = None
    called: str = "peer"
    peer_amounts: Mapping[str, float] | None = None
    peer_rounds: int = 1
    agree: Callable[[Any, Any], str] | None = None
    clock: Callable[[], float] = time.process_time
    packages: tuple[str, ...] = ()  # whose versions the result names


@dataclass(frozen=True)
class Figures:
    """A table of figures: row -> column -> value. `notes` are printed below it."""

    title: str
    rows: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Seconds of the fastest round, amounts per second, and `ratio`: how many times the peer's rate ours is."""

    name: str
    seconds: float
    rates: Mapping[str, float]
    peer: str = ""
    peer_seconds: float | None = None
    peer_rates: Mapping[str, float] = field(default_factory=dict)
    ratio: float | None = None
    agreement: str = ""
    agrees: bool = True


def measured(case: Case, rounds: int) -> Outcome:
    """Ours and the peer in turn, ours once before the clock starts."""
    result = case.ours()
    own: list[float] = []
    others: list[float] = []
    theirs: Any = None
    absent = ""
    for number in range(rounds):
        result, seconds = _timed(case.ours, case.clock)
        own.append(seconds)
        if case.peer is None or absent or number >= case.peer_rounds:
            continue
        try:
            theirs, seconds = _timed(case.peer, case.clock)
        except AbsentError as error:
            absent = f"skipped: {error}"
        else:
            others.append(seconds)
    rates = {unit: amount / max(min(own), 1e-9) for unit, amount in case.amounts.items()}
    if not others:
        return Outcome(name=case.name, seconds=min(own), rates=rates, agreement=absent)
    peer_rates = {unit: amount / max(min(others), 1e-9) for unit, amount in (case.peer_amounts or case.amounts).items()}
    unit = next(iter(case.amounts))
    agrees = True
    agreement = ""
    try:
        agreement = case.agree(result, theirs) if case.agree is not None else ""
    except DisagreementError as error:
        agrees = False
        agreement = f"DISAGREE: {error}"
    return Outcome(
        name=case.name,
        seconds=min(own),
        rates=rates,
        peer=case.called,
        peer_seconds=min(others),
        peer_rates=peer_rates,
        ratio=rates[unit] / peer_rates[unit],
        agreement=agreement,
        agrees=agrees,
    )


def package(name: str, install: str = "") -> Any:
    """The peer's Python package. Raises AbsentError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise AbsentError(f"no {name}; run `pip install {install or name}` first") from None


def cpu_seconds() -> float:
    """Of this process, and of those that it started and that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _timed(work: Callable[[], Any], clock: Callable[[], float]) -> tuple[Any, float]:
    start = clock()
    result = work()
    seconds = clock() - start
    return (result.result, result.seconds) if isinstance(result, Timed) else (result, seconds)


def drive(found: Iterable[Case | Figures], rounds: int, console: Console) -> tuple[dict[str, Any], bool]:
    """Measures and prints one after the other. Returns all figures, and whether every case agrees."""
    outcomes: list[Outcome] = []
    tables: dict[str, Any] = {}
    packages: dict[str, None] = dict.fromkeys(ALWAYS)
    for one in _until_absent(found, console):
        if isinstance(one, Case):
            packages |= dict.fromkeys(one.packages)
            outcomes.append(measured(one, rounds))
            console.print(f"{one.name}: {_rate(outcomes[-1].rates)}", highlight=False, style="dim")
        else:
            tables[one.title] = one.rows
            console.print(drawn(one), *one.notes, sep="\n")
    if outcomes:
        console.print(_ratios(outcomes))
    figures = {"machine": machine(), "versions": versions(packages), "cases": list(map(asdict, outcomes))}
    console.print(f"{figures['machine']}; {', '.join(f'{name} {one}' for name, one in figures['versions'].items())}")
    return figures | {"tables": tables}, all(outcome.agrees for outcome in outcomes)


def _until_absent(found: Iterable[Case | Figures], console: Console) -> Iterator[Case | Figures]:
    try:
        yield from found
    except AbsentError as error:
        console.print(f"skipped: {error}", highlight=False)


def _ratios(outcomes: Sequence[Outcome]) -> Table:
    table = Table(
        "case", title="per second; the fastest of the rounds, ours and the peer in turn", title_justify="left"
    )
    for column in ("ours", "peer's", "times"):
        table.add_column(column, justify="right")
    table.add_column("agreement")
    for one in outcomes:
        theirs = f"{_rate(one.peer_rates)} ({one.peer})" if one.peer else ""
        times = "" if one.ratio is None else f"{one.ratio:,.2f}"
        table.add_row(one.name, _rate(one.rates), theirs, times, one.agreement)
    return table


def _rate(rates: Mapping[str, float]) -> str:
    return next((f"{shown(rate)} {unit}" for unit, rate in rates.items()), "")


def drawn(figures: Figures) -> Table:
    """A column for each that any row has."""
    columns = dict.fromkeys(column for row in figures.rows.values() for column in row)
    table = Table(title=figures.title, title_justify="left")
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", overflow="fold")
    for name, row in figures.rows.items():
        table.add_row(name, *(shown(row.get(column)) for column in columns))
    return table


def shown(value: Any) -> str:
    """Numbers with four telling digits and commas; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def machine() -> str:
    """Processor, cores and Python."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{model or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Of those packages that are installed."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def write_json(figures: object, path: Path) -> None:
    path.write_text(json.dumps(figures, indent=1, ensure_ascii=False, default=str) + "\n")


def over(work: Callable[[Any], Any], batches: Sequence[Any]) -> Callable[[], list[Any]]:
    """One round: the results of all batches."""
    return lambda: [work(batch) for batch in batches]


def apart(ours: Any, theirs: Any, most: float) -> str:
    """The largest difference of two arrays of numbers. Raises DisagreementError for more than `most`."""
    largest = float(abs(ours - theirs).max())
    if not largest <= most:
        raise DisagreementError(f"largest difference {largest:.1e}, more than {most:.1e}")
    return f"largest difference {largest:.1e}"
