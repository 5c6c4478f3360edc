"""What `winnow why`, `trace` and `takedown` show: one document's way, a step's documents, and what was erased."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.account.card.text import counted
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # what these are made of takes longer to import than a command line should
    from curation.account.lineage.takedown import Plan, Trained
    from curation.account.lineage.trace import Trace
    from curation.account.lineage.why import Decision, Story
    from pipelines.commands.erasing import Done

CARDS = ("card.md", "croissant.json")  # what `winnow card` writes into the run
BOUNDS = ("at_least", "at_most", "one_of")
SHOWN = 8  # rows, positions, steps, urls: --json has all
LINES = 40  # documents of a batch


def stories(console: Console, found: "Sequence[Story]") -> None:
    """Each document's head, then a line per stage with the values that a limit bounds, then its fate."""
    for story in found:
        console.print(f"[bold]{plain(story.url or '(no url)')}[/]", soft_wrap=True)
        head = ", ".join(f"{name} {value}" for name, value in story.head.items() if value is not None)
        say(console, f"  {story.doc_id}  {plain(head)}")
        for decision in story.decisions:
            verdict = f"[red]{plain(decision.reason)}[/]" if decision.reason else "[green]kept[/]"
            say(console, f"  {decision.stage}: {verdict} ({decision.text_bytes:,} bytes of text)")
            for text in _values(decision):
                say(console, f"      {plain(text)}")
        if story.duplicate_of:
            kept = story.duplicate_of
            run = f" in {kept['run']}" if "run" in kept else ""
            same = f"copy by {kept['method']} of {kept['url'] or ''} {kept['doc_id']}{run}"
            say(console, f"  {plain(same)}")
        say(console, f"  [bold]{plain(story.fate)}[/]")
        for text in _whereabouts(story.tokens):
            say(console, f"    {plain(text)}")


def _values(decision: "Decision") -> list[str]:
    lines = []
    for key, value in decision.values.items():
        if not isinstance(value, dict):
            lines.append(f"{key} = {value}")
            continue
        for signal, measured in value.items():
            limits = [limit for limit in decision.limits if limit["rule"] == f"{key}.{signal}"]
            values = [(name, limit[name]) for limit in limits for name in BOUNDS if name in limit]
            bounds = " ".join(f"{name} {_few(bound) if isinstance(bound, list) else bound}" for name, bound in values)
            shown = f"{measured:.4g}" if isinstance(measured, float) else str(measured)
            lines.append(f"{key}.{signal} = {shown}{f'  (limit: {bounds})' if bounds else ''}")
    return lines


def _whereabouts(tokens: dict[str, Any]) -> list[str]:
    """Rows, positions in each mix, and the steps of each training run."""
    rows = tokens.get("rows", ())
    pieces = [f"row {one['row']:,} from {one['position']:,}: {counted(one['length'], 'token')}" for one in rows]
    lines = [_few(pieces)] if pieces else []
    for one in tokens.get("mixes", ()):
        places = _few([f"{place:,}" for place in one["positions"]]) or "not taken by this mix"
        phases = f" (phase {', '.join(one['phases'])})" if one["phases"] else ""
        lines.append(f"{one['mix']}: {one['problem'] or 'position ' + places + phases}")
    for one in tokens.get("trainings", ()):
        where = one["problem"] or "in none of its steps"
        if one["steps"]:
            made = sum(step < one["done"] for step in one["steps"])
            where = (
                f"step {_few([f'{step:,}' for step in one['steps']])}, {made:,} of {len(one['steps']):,} done so far"
            )
        lines.append(f"{one['training']}: {where}")
    return lines


def _few(values: Sequence[str]) -> str:
    """The first SHOWN, and how many more there are."""
    more = f" and {len(values) - SHOWN:,} more" if len(values) > SHOWN else ""
    return ", ".join(values[:SHOWN]) + more


def trace(console: Console, found: "Trace") -> None:
    """The step, what each source has of it, and the documents in the order of the batch, several pieces as one line."""
    phase = f", phase {plain(found.phase)}" if found.phase else ""
    say(
        console,
        f"step {found.step:,} of 0 to {found.steps - 1:,} of {plain(found.training)}: {counted(found.rows, 'row')} of "
        f"{found.sequence_length:,} tokens to predict, positions from {found.first_position:,}{phase}",
    )
    slots = max(found.tokens + found.padding, 1)
    totals = [
        *((plain(one["source"]), f"{one['documents']:,}", one["tokens"]) for one in found.sources),
        ("padding", "", found.padding),
    ]
    cells = [(name, documents, f"{count:,}", f"{count / slots:.1%}") for name, documents, count in totals]
    cells.append(("all", f"{found.documents:,}", f"{slots:,}", ""))
    console.print(table(("source", " documents", " tokens", " share"), cells, box=None, header_style="bold"))
    documents = defaultdict[str, list[dict[str, Any]]](list)
    for segment in found.segments:
        documents[segment["doc_id"]].append(segment)
    for doc_id, pieces in list(documents.items())[:LINES]:
        first, total = pieces[0], sum(piece["length"] for piece in pieces)
        rows = f"in {len(pieces):,} rows" if len(pieces) > 1 else f"in {first['file']} row {first['row']:,}"
        where = f"{counted(total, 'token')} from {first['doc_offset']:,} on, {rows} at {first['position']:,}"
        url = plain(first["url"] or "(no url)")
        say(console, f"{first['batch_row']:>5}  {doc_id}  {url}  {first['source']}: {where}")
    if len(documents) > LINES:
        say(console, f"and {len(documents) - LINES:,} more documents; --json names all")


def takedown(console: Console, found: "Done", *, dry_run: bool) -> None:
    """The plan, what was done, and what is left for a person to do."""
    if found.finished_before:
        when = "to be finished first" if dry_run else "finished first"
        console.print(f"{when}: {counted(found.finished_before, 'takedown')} that had been cut off")
    _plan(console, found)
    for text in [*_trainings(found), *_to_do(found.plan)]:
        say(console, f"[yellow]to do:[/] {plain(text)}")
    if dry_run:
        say(console, "dry run: nothing was changed")
    elif found.record is None:
        say(console, "all of them were taken down before: nothing to do")
    else:
        made = found.record
        say(
            console,
            f"[bold]taken down[/]: {counted(found.new, 'document')}, {counted(made['rows'], 'row')} in "
            f"{counted(made['files'], 'file')} of {counted(len(made['stages']), 'stage')}; each manifest says which",
        )


def _plan(console: Console, found: "Done") -> None:
    own = found.plan
    held = len(own.documents) - own.copies
    say(
        console,
        f"asked for {own.asked:,}, found {counted(held, 'document')} and {own.copies:,} copies of them; "
        f"{found.new:,} are not taken down yet",
    )
    say(
        console,
        "copies have the same text but for case and white space, or were linked by a dedup stage; an edited copy that "
        "none linked is not among them",
    )
    if own.not_found:
        exact = " (an address must be written as it was crawled)" if ":" in own.not_found[0] else ""
        say(console, f"not in this run{exact}: {plain(_few(own.not_found))}")
    rows = (
        (
            one.stage if one.current else f"{one.stage} (of an earlier recipe)",
            one.verb.name,
            f"{one.rows:,}",
            f"{one.segments:,}" if one.segments else "",
            f"{one.files:,}",
        )
        for one in own.stages
        if not one.learnt
    )
    console.print(table(("stage", "verb", " rows", " segments", " files"), rows, box=None, header_style="bold"))


def _trainings(found: "Done") -> list[str]:
    """Who trained on them, those included that takedowns before named."""
    lines = [_trained(one) for one in found.plan.trainings]
    lines += [f"as an earlier takedown noted: {_trained(one)}" for one in found.trained_before]
    home = found.plan.run.rpartition("/")[0]
    return lines or [f"no training run in {home} reads them; if there are others, give them with --training"]


def _to_do(plan: "Plan") -> list[str]:
    """What a takedown cannot do itself."""
    lines = [
        f"{one.stage} learnt from text with {one.learnt:,} of them in it (or a sample of that text), and stays as it "
        "is: fit it again in a new run if that must not be"
        for one in plan.stages
        if one.learnt
    ]
    lines += [f"the Bloom filter in {one} cannot forget their hashes: write it again" for one in plan.blooms]
    lines += [f"{one['run']} has a copy, {one['doc_id']}: take it down there too" for one in plan.elsewhere]
    lines += [f"{one} was compared with this run and may hold copies: run the same there" for one in plan.later_runs]
    lines += [
        f"a mix of this run takes rows from {one}, which may have them too: run the same there"
        for one in plan.mixed_runs
    ]
    cards = [one for one in plan.leftovers if one.rpartition("/")[2] in CARDS]
    others = [one for one in plan.leftovers if one not in cards]
    lines += [f"{' and '.join(cards)} tell of the run as it was: run `winnow card` again"] if cards else []
    lines += [f"{one} was not looked into: delete it if it holds any of them" for one in others]
    return lines


def _trained(one: "Trained") -> str:
    if one.problem:
        return f"{one.training} may have trained on them: {one.problem}"
    seen = "has not come that far" if one.done <= one.first_step else f"has made {one.done:,} updates"
    names = _few([f"step_{step}" for step in one.checkpoints]) or "none"
    running = (
        "; if it is running, stop it and start it again: it still has the old files" if one.done < one.planned else ""
    )
    return (
        f"{one.training} reads them in {counted(one.steps, 'step')} from step {one.first_step:,} on, and {seen}; "
        f"checkpoints trained on them: {names}{running}"
    )
