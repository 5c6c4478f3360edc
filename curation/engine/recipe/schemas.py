"""The schema of a stage's rows and of its files, from what its components declare."""

import pyarrow as pa

from curation.core.component import Components, struct_type
from curation.core.document import IDS, TEXT_OF_DROPPED
from curation.core.verbs import Verb
from curation.engine.recipe.recipe import Stage
from curation.models.redaction.beside import columns_beside, redacting


def after(verb: Verb, components: Components, given: pa.Schema) -> pa.Schema:
    """The schema of a stage's rows, for rows of the schema `given`: `drop_reason` comes last."""
    types = dict(zip(given.names, given.types, strict=True))
    reason = types.pop("drop_reason")
    for key, component in components:
        signals = component.signal_types()
        for name, kind in (signals if verb.encodes else {key: struct_type(signals)}).items():
            if not (verb.judges and name in types):  # what was measured before is only limited
                types.pop(name, None)  # a later stage replaces what it makes anew
                types[name] = kind
    return pa.schema([*types.items(), ("drop_reason", reason)])


def written(stage: Stage, given: pa.Schema, whole: pa.Schema, *, last: bool) -> pa.Schema:
    """The schema of the stage's own files: that of its rows (`whole`) where it is the last; else the columns that it
    adds to `given`, those that identify documents, those that it redacts beside the text, and the text: of all rows
    where it edits text, else of dropped rows."""
    if last:
        return whole
    own = {*IDS, "text", "drop_reason", *(key for key, _ in stage.components if not stage.verb.judges)}
    own |= {*(columns_beside(given) if redacting(stage.components) else ())}
    fields = [field for field in whole if field.name in own or field.name not in given.names]
    text = whole.field("text") if stage.verb.edits else TEXT_OF_DROPPED
    return pa.schema([text if field.name == "text" else field for field in fields])
