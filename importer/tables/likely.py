"""A guess of which catalog or kind of document a table is about."""

from __future__ import annotations

from pathlib import PurePath
from typing import BinaryIO

from django.conf import settings
from django.utils import translation

from importer.registry import ModelTarget
from importer.tables.description import field_of, folder_flag
from importer.tables.detection import FoundTable, find_table, plausible
from importer.tables.labels import labels_of
from importer.tables.mapping import PropertyNames, words_of
from importer.tables.packages import table_targets
from importer.tables.reading import TableFile


def likely_target(table: BinaryIO, file_name: str = "") -> str:
    """Return the target whose properties the columns of a table probably are; raise
    TableError if it can't be read.

    Of those that are equally likely, it is the one whose rows a column is named after,
    such as "Konto" or "Account no.", and then that of the name of the file.
    """
    targets = table_targets()
    names = {n: PropertyNames(t.spec, labels_of(t)) for n, t in targets.items()}
    found = find_table(TableFile(table), None, frozenset().union(*_words(names)))
    called = words_of(PurePath(file_name).stem)
    return max(
        targets,
        key=lambda name: (
            _score(names[name], targets[name], found),
            _named_after(targets[name], found),
            any(word in called for word in _titles(targets[name])),
        ),
    )


def _words(names: dict[str, PropertyNames]) -> list[frozenset[str]]:
    return [known.all for known in names.values()]


def _score(names: PropertyNames, target: ModelTarget, found: FoundTable) -> float:
    """Return how well the columns of a table fit a target: by what they are called, less
    for a target that needs what no column has."""
    headers, spec = found.headers.names, target.spec
    places = names.proposed(
        headers,
        lambda place, name: plausible(found.sample, place, field_of(spec, name)),
    )
    given = set(places.values())
    fitting = sum(names.scores(headers[p]).get(n, 0) for p, n in places.items())
    needed = {f.name for f in spec.fields if f.required and not f.lines}
    lacking = len(needed - given - {folder_flag(spec)})
    if spec.arrays and not any("." in name for name in given):
        lacking += 1
    return fitting - lacking


def _named_after(target: ModelTarget, found: FoundTable) -> int:
    """Return how many letters of a header are what one row of a target is called."""
    headers = [words_of(header) for header in found.headers.names]
    titles = _said(target, "verbose_name")
    return max((len(t) for t in titles for h in headers if t in h), default=0)


def _titles(target: ModelTarget) -> set[str]:
    """Return what a target is called, in every language of the project."""
    return {words_of(target.name), *_said(target, "verbose_name_plural")}


def _said(target: ModelTarget, name: str) -> set[str]:
    """Return a name of the rows of a target, in every language of the project."""
    said = set()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            said.add(words_of(str(getattr(target.model._meta, name))))
    return said
