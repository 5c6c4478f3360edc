"""Deletes files of a dedup stage: those that nothing reads once it is done, or all that came of failed documents."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from curation.core import storage
from curation.core.commits import Commit, read_group, write_group
from curation.core.threads import map_threads
from curation.engine.dedup.layout import GATHERED, KEYS, is_passing
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.context import Context
from curation.models.bloom import filter_folder


def tidy_dedup(folder: str, figures: Mapping[str, Any]) -> None:
    """Deletes what nothing reads once the stage is done."""
    if figures["exchange"]["key_step"] != KEYS:  # they were gathered in other files
        _drop_key_files(folder)
    for name in storage.list_names(folder):
        if is_passing(name):
            storage.delete_folder(storage.join(folder, name))


def _drop_key_files(folder: str) -> None:
    """Removes the shards' own key files, which were gathered in others, from their commits, then deletes them."""
    names = [name for name in storage.list_names(storage.join(folder, KEYS)) if name.startswith("keys-")]
    gone = {f"{KEYS}/{name}" for name in names}
    for group in storage.list_names(storage.join(folder, KEYS)):
        if group.startswith("group-"):
            path = storage.join(folder, KEYS, group)
            write_group(path, [_without_files(commit, gone) for commit in read_group(path)])
    map_threads(lambda name: storage.delete_file(storage.join(folder, KEYS, name)), names)


def _without_files(commit: Commit, gone: set[str]) -> Commit:
    files = {name: facts for name, facts in commit.extra["files"].items() if name not in gone}
    return dataclasses.replace(commit, extra={**commit.extra, "files": files})


def forget_dedup(context: Context) -> None:
    """Deletes the keys of shards with documents that a method failed on, and all that may have been made from them. A
    crash on the way leaves nothing that a resumed run would take for done. The caller deletes the commits of attach."""
    for name in storage.list_names(context.folder):
        if is_passing(name) or name == KEYS + GATHERED:
            storage.delete_folder(storage.join(context.folder, name))
    storage.delete_file(storage.join(context.folder, "bloom", filter_folder.MANIFEST))
    with CommitLog(context.folder, KEYS) as keys:
        keys.forget([commit.unit for commit in keys.commits.values() if commit.extra["errors"]])
