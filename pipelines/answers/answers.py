"""Which command prints what with `--json`: `winnow schema COMMAND` prints the schema, docs/json.md lists them."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from curation.core.close_names import nearest
from curation.core.errors import UserError
from pipelines.answers.typed import Schema, Schemas

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SHAPES = "pipelines.answers.shapes"
FUNNEL = "curation.account.funnel:Funnel"
# Command -> the forms of its answer, each MODULE:CLASS, or []MODULE:CLASS for a list of them. `object`: any object.
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "curate": (FUNNEL,),
    "plan": (f"[]{SHAPES}:PlannedLine", "curation.engine.sizing.sizing:Sizing"),
    "train": ("training.checkpoint.run_shapes:ResultFile",),
    "inspect": ("[]curation.sources.inspection:InspectedFile",),
    "status": ("curation.account.status:Status",),
    "verify": ("curation.account.verify.verify:Verification",),
    "funnel": (FUNNEL,),
    "why": ("[]curation.account.lineage.why:Story",),
    "trace": ("curation.account.lineage.trace:Trace",),
    "blame": ("curation.account.lineage.blame:Blame",),
    "show": ("[]curation.account.show:ShownRow",),
    "files": ("[]builtins:str",),
    "duplicates": ("[]curation.account.duplicates:StageDuplicates",),
    "tune": ("[]curation.account.tune.tune_report:Tuning", "curation.account.tune.fit_languages:FittedKits"),
    "list": ("[]pipelines.component_docs:Listing",),
    "describe": ("[]pipelines.component_docs:Description", "[]pipelines.setting_docs:Setting"),
    "audit": ("curation.account.audit.audit:Audit", "curation.account.audit.losses.report:CleanAudit"),
    "compare": ("curation.account.compare.compare:Comparison",),
    "curves": ("[]training.metrics.curves:TrainingCurves",),
    "evaluate": (f"[]{SHAPES}:EvaluatedCheckpoint",),
    "average": (f"{SHAPES}:AveragedModel",),
    "release": (f"{SHAPES}:ReleaseRecord",),
    "sql": ("[]builtins:dict",),
    "card": ("curation.account.card.facts:Card",),
    "export": (f"{SHAPES}:ExportResult",),
    "takedown": ("pipelines.takedown:TakedownOutcome",),
    "annotate": ("curation.account.annotate.annotate:Annotations",),
    "tokenizer train": (f"{SHAPES}:TrainedTokenizer",),
    "tokenizer inspect": ("[]curation.account.tokenizers.tokenizer_inspection:Inspection",),
    "model train": (f"{SHAPES}:TrainedModel",),
    "model inspect": (f"{SHAPES}:InspectedModel",),
    "evalsets report": ("curation.account.evalsets.report:Report",),
    "evalsets seen": ("curation.account.evalsets.seen:ItemExposure",),
    "evalsets validation": ("curation.account.evalsets.validation:ValidationOverlap",),
    "fetch commoncrawl": ("curation.sources.commoncrawl.fetch:Fetch",),
    "scaling optimum": ("{}training.plan.advice:Advice",),
    "scaling fit": (f"{SHAPES}:FittedLaw",),
    "scaling ladder": (f"{SHAPES}:Ladder",),
    "scaling predict": (f"{SHAPES}:PredictedLoss",),
    "plan-training": (f"{SHAPES}:PlannedTraining", f"{SHAPES}:PublishedCases", f"{SHAPES}:KnownDevices"),
    "job list": ("[]cluster.jobs:SubmittedJob",),
}


def answer_schema(command: str) -> Schema:
    """The JSON Schema of what `winnow COMMAND --json` prints. Raises UserError for a command without `--json`."""
    if command not in ANSWERS:
        raise UserError(f"no command {command!r} has --json{nearest(command, ANSWERS)}")
    schemas = Schemas()
    forms = [_form(schemas, name) for name in ANSWERS[command]]
    if command == "describe":  # a list may hold both
        forms = [{"type": "array", "items": {"anyOf": [form["items"] for form in forms]}}]
    own = forms[0] if len(forms) == 1 else {"anyOf": forms}
    defined = {"$defs": dict(sorted(schemas.definitions.items()))} if schemas.definitions else {}
    return {"$schema": DRAFT, "title": f"winnow {command} --json", **own, **defined}


def answer_schema_text(command: str) -> str:
    """The schema as the text of a file."""
    return json.dumps(answer_schema(command), indent=1, ensure_ascii=False) + "\n"


def top_level(command: str) -> Iterator[tuple[str, str, list[str]]]:
    """Of each form of a command's answer: how its values come (one, a list, by name), its meaning and its keys."""
    schemas = Schemas()
    for name in ANSWERS[command]:
        _form(schemas, name)
        one = schemas.definitions.get(name.rpartition(":")[2], {})
        how = "list" if name.startswith("[]") else "by name" if name.startswith("{}") else "one"
        yield how, one.get("description", ""), list(one.get("properties", {}))


def _form(schemas: Schemas, name: str) -> Schema:
    module, _, cls = name.lstrip("[]{}").partition(":")
    kind: Any = getattr(import_module(module), cls)
    one = schemas.of(kind)
    if name.startswith("[]"):
        return {"type": "array", "items": one}
    return {"type": "object", "additionalProperties": one} if name.startswith("{}") else one
