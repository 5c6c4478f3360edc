"""The command `winnow audit`: which groups a run's stages drop more often, or what they lose of clean documents."""

from typing import Annotated

import typer

from curation.account.run import Run
from curation.core.errors import UserError
from pipelines.commands.ask import RunFolder
from pipelines.render.console import Json, answer


def audit(
    run: RunFolder,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="KIND", help="Kind of groups to compare, such as language or source; may be repeated."
        ),
    ] = None,
    terms: Annotated[
        list[str] | None,
        typer.Option("--terms", metavar="NAME=FILE", help="Terms that mention a group, one per line; may be repeated."),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option("--attributes", metavar="NAME=FILE", help="Words to associate with groups; may be repeated."),
    ] = None,
    clean: Annotated[
        str | None,
        typer.Option("--clean", metavar="FILE|CHAIN", help="Good documents: what each limit drops of them instead."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare drop rates between groups of documents, such as languages, sources and topics. Changes nothing."""
    if clean is None:
        from pipelines.render.audit import audit as show_audit

        found = Run.open(run).audit(by=by or (), terms=terms or (), attributes=attributes or ())
        answer(found, show_audit, as_json=as_json)
        return
    if by or terms or attributes:
        raise UserError("--clean asks another question; leave out --by, --terms and --attributes")
    from curation.account.audit.clean import audit_clean
    from pipelines.render.audit_clean import losses

    answer(audit_clean(Run.open(run), clean), losses, as_json=as_json)
