"""A check that replaying the change events of rows leads to their current values."""

from __future__ import annotations

from platform_site.changes.models import ChangeEvent
from platform_site.records import wire
from tests.importer.laws.world import MODELS

_DELETES = {"deleted": True, "restored": False, "created": False}


def assert_history_leads_to_the_rows():
    """Check that each event starts from the values that the previous one left."""
    states = {}
    for event in ChangeEvent.objects.filter(model__in=MODELS).order_by("pk"):
        state = states.setdefault((event.model, event.row_id), {"deleted": False})
        for name, (before, after) in event.changes.items():
            assert _plain(before) == state.get(name), (str(event), name, before)
            state[name] = _plain(after)
        state["deleted"] = _DELETES.get(event.action, state["deleted"])
    for name, model in MODELS.items():
        for row in model._base_manager.all():
            told = {k: v for k, v in states[name, row.pk].items() if v is not None}
            assert told == _values(row)


def _values(row):
    serializer = wire.serializer_of(type(row))(row)
    values = {name: _plain(value) for name, value in serializer.data.items()}
    values |= {"deleted": row.is_deleted, "id": None}
    return {name: value for name, value in values.items() if value is not None}


def _plain(value):
    return None if value == "" else value
