"""Where a run came from and what came of it: links to a processor or job, and to other
runs."""

from __future__ import annotations

from typing import Any

import msgspec
from django.utils.translation import gettext_lazy

from importer import registry, services
from importer.models import ImportRun

Kind = ImportRun.Kind
_MOST = 10
# What a run is to the run that it is based on, and the other way round.
_CAME_FROM: dict[str, Any] = {
    Kind.PLAN: gettext_lazy("Plan of the dry run:"),
    Kind.DECISION: gettext_lazy("Decision about rows that this run kept:"),
    Kind.UNDO: gettext_lazy("Run that it undoes:"),
}
_LED_TO: dict[str, Any] = {
    Kind.PLAN: gettext_lazy("Imported by:"),
    Kind.DECISION: gettext_lazy("Kept rows decided by:"),
    Kind.UNDO: gettext_lazy("Undone by:"),
}


class RelatedRun(msgspec.Struct, frozen=True):
    """Another run, what it is to this one, and its page, if the reader may see it."""

    relation: str
    run: ImportRun
    link: str
    is_result: bool = False


class Related(msgspec.Struct, frozen=True):
    """What started a run, and the runs it is connected with."""

    starter: str
    starter_link: str
    runs: list[RelatedRun]


def related(run: ImportRun, user: Any) -> Related:
    """Return where a run came from and the newest runs that came of it."""
    results = ImportRun.objects.real().listed().filter(based_on=run.pk)
    shown = [(_LED_TO, one) for one in results.filter(kind__in=_LED_TO)[:_MOST]]
    if run.based_on is not None and run.kind in _CAME_FROM:
        shown.insert(0, (_CAME_FROM, run.based_on))
    pages = services.run_links(user, [one.pk for _words, one in shown])
    runs = [
        RelatedRun(
            str(words[run.kind if words is _CAME_FROM else one.kind]),
            one,
            pages.get(one.pk, ""),
            is_result=words is _LED_TO,
        )
        for words, one in shown
    ]
    return Related(*registry.starter_of(run, user), runs)
