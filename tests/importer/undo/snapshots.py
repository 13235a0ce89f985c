"""The content of business rows by their keys, to compare before a run and after its
undo."""

from __future__ import annotations

# What every write moves.
_MOVES = {"version", "created", "modified", "import_imported_at"}
MARK = ("import_origin", "import_source", "import_key", "import_source_hash")


def snapshot(models):
    """Return the values of every row, its parts and whether a user changed it."""
    return {
        (model.catalog_name, row.pk): _values(row)
        for model in models
        for row in model._base_manager.all()
    }


def _values(row):
    fields = [field.attname for field in row._meta.concrete_fields]
    values = {name: getattr(row, name) for name in fields if name not in _MOVES}
    for part in row.parts:
        part.load([row])
        values[part.name] = getattr(row, part.name)
    values["by user"] = row.is_modified_after_import
    return values


def differences(before, after, report, besides=frozenset()):
    """Return the rows in which a state differs from that before a run and its undo,
    besides in some columns.

    Rows that the undo left as they are don't count, nor those that exist no more.
    """
    left = {
        (one.target, one.row_id) for one in report.items if one.outcome != "Reverted"
    }
    created = {key for key in after if key not in before}
    found = {
        key: (before[key], after[key])
        for key in before.keys() & after.keys() - left
        if any(
            before[key][name] != after[key][name]
            for name in before[key].keys() - besides
        )
    }
    for key in created - left:
        row = after[key]
        if not row["is_deleted"] or any(row[name] is not None for name in MARK):
            found[key] = (None, row)
    return found


def told(report):
    """Return the entries of an undo."""
    return [
        (one.id, one.target, one.row_id, one.outcome.value, one.message, one.changes)
        for one in report.items
    ]
