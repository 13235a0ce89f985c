"""The importer hooks of the change history: user, origin and run of the changes of an
import (OPEN-80), and the link to the events of a run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final
from uuid import UUID

from django.db.models import Model
from django.urls import reverse

from importer import Origin as PackageOrigin, Outcome, registry
from platform_site.changes.labels import labelled_changes, labels_of
from platform_site.changes.services import ChangeEvent, ChangeOrigin, acting_as

_OUTCOMES: Final = {
    ChangeEvent.Action.CREATED.value: Outcome.INSERTED,
    ChangeEvent.Action.UPDATED.value: Outcome.UPDATED,
    ChangeEvent.Action.ADOPTED.value: Outcome.ADOPTED,
    ChangeEvent.Action.RESTORED.value: Outcome.RESTORED,
}


def surround(run: registry.RunContext) -> AbstractContextManager[object]:
    """Return the context for the change events of a run."""
    demo = run.origin is PackageOrigin.DEMO_SEED
    origin = ChangeOrigin.DEMO_DATA if demo else ChangeOrigin.IMPORT
    return acting_as(run.user, origin, run.run_id)


def link_to_events(run_id: UUID, user: Any) -> str:
    """Return the URL of a run's change events for users who may see it (IMP-279)."""
    if not user.is_staff or not user.has_perm("changes.view_changeevent"):
        return ""
    return f"{reverse('admin:changes_changeevent_changelist')}?run_id={run_id}"


def label_changes(
    model: type[Model], changes: Sequence[registry.Changes]
) -> Sequence[registry.LabelledChanges]:
    """Return the changes of a model's rows with the labels of their histories."""
    return labelled_changes(changes, labels_of(model))


def outcomes_of(run_id: UUID) -> registry.Outcomes:
    """Return the first action of a run on each row it wrote."""
    events = ChangeEvent.objects.filter(run_id=run_id, action__in=_OUTCOMES)
    found: dict[tuple[str, int], Outcome] = {}
    for model, row_id, action in events.order_by("id").values_list(
        "model", "row_id", "action"
    ):
        if row_id is not None:
            found.setdefault((model, row_id), _OUTCOMES[action])
    return found


registry.register_change_words(label_changes)
registry.register_changes_link(link_to_events)
registry.register_outcomes(outcomes_of)
registry.register_surrounding(surround)
