"""A user's last own changes, with links to the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model
from django.utils.text import capfirst

from platform_site.changes.labels import recorded_models
from platform_site.changes.services import ChangeEvent, ChangeOrigin
from platform_site.records.row_links import link_to_row

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class OwnChange:
    """An event, the name of its row, and the URL of the row if it has a page."""

    event: ChangeEvent
    kind: str
    link: str


def own_changes(user: Any) -> list[OwnChange]:
    """Return a user's newest own changes; those of runs are in their reports.

    It takes one query on an index, however long the history is.
    """
    own = ChangeEvent.objects.filter(user=user, origin=ChangeOrigin.USER.value)
    models = recorded_models()
    return [
        _shown(event, models.get(event.model), user)
        for event in own.defer("changes").order_by("-at", "-id")[:_SHOWN]
    ]


def _shown(event: ChangeEvent, model: type[Model] | None, user: Any) -> OwnChange:
    if model is None:
        return OwnChange(event, event.model, "")
    kind = capfirst(str(model._meta.verbose_name))
    gone = event.row_id is None
    link = "" if gone else link_to_row(model, event.row_id or 0, user)
    return OwnChange(event, kind, link)
