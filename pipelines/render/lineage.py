"""What `winnow why`, `trace` and `takedown` show: a document's story, a step's documents, and what was erased."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.core.wording import counted, listed
from pipelines.render.console import plain, say, table
from pipelines.render.tables import Column, unless_0, view, without_noughts

if TYPE_CHECKING:  # slow to import
    from curation.account.lineage.blame import Blame
    from curation.account.lineage.takedown import AffectedTraining, Plan
    from curation.account.lineage.trace import Trace
    from curation.account.lineage.why import Decision, Story
    from pipelines.takedown import TakedownOutcome

CARDS = ("card.md", "croissant.json")  # files of `winnow card`
BOUNDS = ("at_least", "at_most", "one_of")
SHOWN = 8  # rows, positions, steps, urls: --json has all
LINES = 40  # documents of a batch
ERASED = (
    Column("stage", lambda stage: stage.stage if stage.current else f"{stage.stage} (of an earlier recipe)"),
    Column("verb", "verb.name"),
    Column("rows", form=","),
    Column("segments", form=unless_0),
    Column("files", form=","),
)


def stories(console: Console, documents: "Sequence[Story]") -> None:
    for story in documents:
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
        if story.redacted_by:
            gone = "before it, texts are as it made them, or gone (privacy: {originals: until_sealed})"
            say(console, f"    redacted by {plain(story.redacted_by)}; {gone}")
        for text in token_places(story.tokens):
            say(console, f"    {plain(text)}")


def _values(decision: "Decision") -> list[str]:
    lines = []
    for key, value in decision.values.items():
        if not isinstance(value, dict):
            lines.append(f"{key} = {value}")
            continue
        telling, noughts = without_noughts(value)
        for signal, measured in telling.items():
            limits = [limit for limit in decision.limits if limit["rule"] == f"{key}.{signal}"]
            values = [(name, limit[name]) for limit in limits for name in BOUNDS if name in limit]
            bounds = " ".join(
                f"{name} {listed(bound, SHOWN) if isinstance(bound, list) else bound}" for name, bound in values
            )
            shown = f"{measured:.4g}" if isinstance(measured, float) else str(measured)
            lines.append(f"{key}.{signal} = {shown}{f'  (limit: {bounds})' if bounds else ''}")
        lines += [f"{key}: {others}" for others in noughts]
    return lines


def token_places(tokens: dict[str, Any]) -> list[str]:
    """Lines on rows, positions in each mix, and steps of each training run."""
    pieces = [
        f"row {piece['row']:,} from {piece['position']:,}: {counted(piece['length'], 'token')}"
        for piece in tokens.get("rows", ())
    ]
    lines = [listed(pieces, SHOWN)] if pieces else []
    for mix in tokens.get("mixes", ()):
        places = listed((f"{position:,}" for position in mix["positions"]), SHOWN) or "not taken by this mix"
        phases = f" (phase {', '.join(mix['phases'])})" if mix["phases"] else ""
        lines.append(f"{mix['mix']}: {mix['problem'] or 'position ' + places + phases}")
    for training in tokens.get("trainings", ()):
        where = training["problem"] or "in none of its steps"
        if training["steps"]:
            done = sum(step < training["done"] for step in training["steps"])
            steps = listed((f"{step:,}" for step in training["steps"]), SHOWN)
            where = f"step {steps} ({done:,} of {len(training['steps']):,} done so far)"
        lines.append(f"{training['training']}: {where}")
    return lines


def trace(console: Console, batch: "Trace") -> None:
    """Draws the step, each source's share, and the documents in the order of the batch, one line each."""
    phase = f", phase {plain(batch.phase)}" if batch.phase else ""
    say(
        console,
        f"step {batch.step:,} of 0 to {batch.steps - 1:,} of {plain(batch.training)}, step {batch.step + 1:,} in its "
        f"metrics: {counted(batch.rows, 'row')} of {batch.sequence_length:,} tokens to predict, positions from "
        f"{batch.first_position:,}{phase}",
    )
    if batch.made_by != batch.training:
        say(console, f"made by {plain(batch.made_by)}, of which this run is a branch")
    slots = max(batch.tokens + batch.padding, 1)
    totals = [
        *((plain(share["source"]), f"{share['documents']:,}", share["tokens"]) for share in batch.sources),
        ("padding", "", batch.padding),
    ]
    cells = [(name, documents, f"{count:,}", f"{count / slots:.1%}") for name, documents, count in totals]
    cells.append(("all", f"{batch.documents:,}", f"{slots:,}", ""))
    console.print(table(("source", " documents", " tokens", " share"), cells, box=None, header_style="bold"))
    documents = defaultdict[str, list[dict[str, Any]]](list)
    for segment in batch.segments:
        documents[segment["doc_id"]].append(segment)
    for doc_id, pieces in list(documents.items())[:LINES]:
        first = pieces[0]
        total = sum(piece["length"] for piece in pieces)
        rows = f"in {len(pieces):,} rows" if len(pieces) > 1 else f"in {first['file']} row {first['row']:,}"
        where = f"{counted(total, 'token')} from {first['doc_offset']:,}, {rows} at {first['position']:,}"
        url = plain(first["url"] or "(no url)")
        say(console, f"{first['batch_row']:>5}  {doc_id}  {url}  {first['source']}: {where}")
    if len(documents) > LINES:
        say(console, f"and {len(documents) - LINES:,} more documents; --json lists all")


def blame(console: Console, found: "Blame") -> None:
    """Draws the documents, the odd ones first, with the signal that is farthest from others'."""
    rows = "the rows left out there" if found.skipped else "the rows that it read"
    say(
        console,
        f"step {found.step:,} of {plain(found.training)}: {counted(len(found.documents), 'document')} in {rows}",
    )
    for suspect in found.documents[:LINES]:
        odd = "nothing that was measured is unusual"
        if suspect.oddest:
            value = suspect.signals[suspect.oddest]
            odd = f"{suspect.oddest} {value:,.4g} is {suspect.deviations:.1f} deviations from others'"
        say(console, f"{suspect.doc_id}  {plain(suspect.url or '(no url)')}")
        say(console, f"    {plain(suspect.source)}, {counted(suspect.tokens, 'token')}: {plain(odd)}")
    if len(found.documents) > LINES:
        say(console, f"and {len(found.documents) - LINES:,} more documents; --json lists all")


def takedown(console: Console, outcome: "TakedownOutcome", *, dry_run: bool) -> None:
    if outcome.finished_before:
        when = "to be finished first" if dry_run else "finished first"
        console.print(f"{when}: {counted(outcome.finished_before, 'interrupted takedown')}")
    _plan(console, outcome)
    for text in [*_trainings(outcome), *_to_do(outcome.plan)]:
        say(console, f"[yellow]to do:[/] {plain(text)}")
    if dry_run:
        say(console, "dry run: nothing was changed")
    elif outcome.record is None:
        say(console, "all of them were taken down before: nothing to do")
    else:
        entry = outcome.record
        say(
            console,
            f"[bold]taken down[/]: {counted(outcome.new, 'document')}, {counted(entry['rows'], 'row')} in "
            f"{counted(entry['files'], 'file')} of {counted(len(entry['stages']), 'stage')}; the manifests list them",
        )


def _plan(console: Console, outcome: "TakedownOutcome") -> None:
    plan = outcome.plan
    held = len(plan.documents) - plan.copies
    say(
        console,
        f"asked for {plan.asked:,}, found {counted(held, 'document')} and "
        f"{counted(plan.copies, 'copy', 'copies')}; not taken down yet: {outcome.new:,}",
    )
    say(
        console,
        "copies have the same text apart from case and white space, or were linked by a dedup stage; edited copies "
        "that no stage linked are not included",
    )
    if plan.not_found:
        say(console, f"not in this run: {plain(listed(plan.not_found, SHOWN))}")
    stages = [stage for stage in plan.stages if not stage.learnt]
    console.print(view(ERASED, stages, box=None, header_style="bold"))


def _trainings(outcome: "TakedownOutcome") -> list[str]:
    """Lines on training runs that saw the documents, also those that earlier takedowns recorded."""
    lines = [_trained(training) for training in outcome.plan.trainings]
    lines += [f"recorded by an earlier takedown: {_trained(training)}" for training in outcome.trained_before]
    home = outcome.plan.run.rpartition("/")[0]
    return lines or [f"no training run in {home} reads them; name any others with --model"]


def _to_do(plan: "Plan") -> list[str]:
    """Lines on what a takedown cannot do itself."""
    lines = [
        f"{stage.stage} was fitted to text with {stage.learnt:,} of them (or to a sample of it) and is not changed: "
        "fit it again in a new run if necessary"
        for stage in plan.stages
        if stage.learnt
    ]
    lines += [f"the Bloom filter in {path} cannot forget their hashes: build it again" for path in plan.blooms]
    lines += [f"{copy['run']} has a copy, {copy['doc_id']}: take it down there too" for copy in plan.elsewhere]
    lines += [
        f"{run} reads this run and may hold copies: run its recipe again, or `winnow takedown {run} --from {plan.run}`"
        for run in plan.later_runs
    ]
    lines += [
        f"a mix of this run takes rows from {run}, which may hold them too: take them down there"
        for run in plan.mixed_runs
    ]
    cards = [path for path in plan.leftovers if path.rpartition("/")[2] in CARDS]
    lines += [f"{' and '.join(cards)} describe the run before the takedown: run `winnow card` again"] if cards else []
    others = [path for path in plan.leftovers if path not in cards]
    lines += [f"{path} was not searched: delete it if it holds any of them" for path in others]
    return lines


def _trained(training: "AffectedTraining") -> str:
    if training.problem:
        return f"{training.training} may have trained on them: {training.problem}"
    progress = "has not reached it" if training.done <= training.first_step else f"has made {training.done:,} updates"
    names = listed((f"step_{step}" for step in training.checkpoints), SHOWN) or "none"
    running = (
        "; if it is running, restart it: it still has the old files open" if training.done < training.planned else ""
    )
    return (
        f"{training.training} reads them in {counted(training.steps, 'step')} from step {training.first_step:,} on "
        f"and {progress}; checkpoints trained on them: {names}{running}"
    )
