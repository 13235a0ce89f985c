"""The contents of the page for tables: the file, its columns, and the saved sources."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from importer import conf, registry
from importer.admin_page.table_form import AskedTable
from importer.admin_page.table_formats import (
    Select,
    format_selects,
    rule_selects,
    values_of,
)
from importer.models import PackageUpload, TableSource
from importer.registry import ModelTarget
from importer.runs import package_uploads
from importer.runs.options import ImportOptions, zone_for
from importer.tables.chosen import ChosenTable
from importer.tables.description import field_of, folder_flag, property_names
from importer.tables.errors import TableError
from importer.tables.labels import present_labels
from importer.tables.likely import likely_target
from importer.tables.packages import propose_table, table_target, table_targets
from importer.tables.proposal import Proposal
from importer.tables.reading import TableFile
from importer.tables.samples import sample_cells
from importer.tables.sources import (
    DescriptionRefused,
    description_of_source,
    find_source,
    list_sources,
)

# Wider tables are described in a file or over the API.
MOST_COLUMNS = 200
# The places that tables may come from, as fields of the form.
ORIGINS = ("url", "folder", "processor")


class PreparedTable(msgspec.Struct, frozen=True):
    """A table as the page reads it: its target, the choices and the proposal."""

    target: ModelTarget
    chosen: ChosenTable
    proposal: Proposal

    @property
    def lacking(self) -> list[str]:
        """Return why the table can't be imported yet, as sentences."""
        labels = present_labels(self.target)
        listed = [labels.get(name, name) for name in self.proposal.missing]
        found = []
        if listed:
            sentence = _("No column is chosen for %(names)s, which every row needs.")
            found.append(sentence % {"names": ", ".join(listed)})
        if not self.proposal.description.key:
            found.append(_("Choose what identifies a row, for example its code."))
        return found


def chosen_source(asked: AskedTable) -> TableSource | None:
    """Return the saved source that a request names, None if there is none."""
    return find_source(asked["source"]) if asked["source"] else None


def prepared(
    table: BinaryIO, upload: PackageUpload, asked: AskedTable
) -> PreparedTable:
    """Return how a table is read with the choices of a request.

    Raise TableError, UnknownTarget, DescriptionRefused for an outdated source, and
    ValidationError.
    """
    source = chosen_source(asked)
    saved = None if source is None else description_of_source(source)
    name = asked["target"] or (saved.target if saved else "")
    target = table_target(name or likely_target(table, upload.name))
    chosen = asked.chosen(saved, target.spec)
    proposal = propose_table(table, target.name, chosen)
    if len(proposal.headers) > MOST_COLUMNS:
        sentence = _(
            "The table has more than %(most)s columns; import it with a description, "
            "over the API or with the command import_table."
        )
        raise ValidationError(sentence % {"most": MOST_COLUMNS})
    return PreparedTable(target, chosen, proposal)


def table_context(user: Any, asked: AskedTable) -> dict[str, Any]:
    """Return the context of the page."""
    upload = package_uploads.find(user, asked["file"]) if asked["file"] else None
    source = chosen_source(asked)
    problems = list(asked.wrong)
    shown: dict[str, Any] = {
        "title": _("Import a table"),
        "largest": int(conf.setting("MAX_PACKAGE_SIZE_BYTES")),
        "upload": upload,
        "source": source,
        "target": asked["target"],
        "name": asked["name"] or (source.name if source else ""),
        **{name: asked[name] or _origin(source, name) for name in ORIGINS},
        "makers": sorted(registry.source_hooks().makers().items()),
        "header_row": "" if asked["header_row"] is None else str(asked["header_row"]),
        "sources": [_listed(one, user) for one in list_sources()],
        "targets": [(name, _title(one)) for name, one in table_targets().items()],
        "zone": zone_for(ImportOptions(), user).key,
        "problems": problems,
        "gone": bool(asked["file"]) and upload is None,
    }
    if upload is None:
        return shown
    try:
        with package_uploads.opened(upload) as table:
            return {**shown, **_mapping(table, upload, asked, problems)}
    except DescriptionRefused as refusal:
        problems += [f"{at}: {said}" for at, said in refusal.errors.items()]
    except ValidationError as refusal:
        problems += refusal.messages
    except FileNotFoundError:  # removed just now
        return {**shown, "upload": None, "gone": True}
    except (TableError, LookupError) as refusal:
        problems.append(capfirst(str(refusal)))
    return {**shown, "unreadable": True}


def _origin(source: TableSource | None, name: str) -> str:
    """Return a part of where the tables of a source come from, empty without one."""
    return "" if source is None else str((source.origin or {}).get(name, ""))


def _listed(source: TableSource, user: Any) -> dict[str, Any]:
    name = str(source.description.get("target"))
    target = registry.targets().get(name)
    return {
        "source": source,
        "target": name if target is None else _title(target),
        "links": registry.source_hooks().links(source.name, user),
    }


def _title(target: ModelTarget) -> str:
    return capfirst(str(target.model._meta.verbose_name_plural))


def _mapping(
    table: BinaryIO, upload: PackageUpload, asked: AskedTable, problems: list[str]
) -> dict[str, Any]:
    """Return what the page shows of a table that can be read."""
    ready = prepared(table, upload, asked)
    proposal, chosen = ready.proposal, ready.chosen
    problems = [*problems, *ready.lacking]
    try:
        asked.require_distinct()
    except ValidationError as refusal:
        problems += refusal.messages
    try:
        rows = sample_cells(proposal)
    except TableError as refusal:  # a value for all rows is wrong
        rows, problems = [], [*problems, capfirst(str(refusal))]
    if proposal.absent:
        sentence = _("The table doesn't have these columns of the source: %(names)s.")
        problems.append(sentence % {"names": ", ".join(proposal.absent)})
    names = {c.column: c.property for c in reversed(proposal.description.columns)}
    properties = _properties(ready.target)
    return {
        "target": ready.target.name,
        "proposal": proposal,
        "columns": [(header, names.get(header, "")) for header in proposal.headers],
        "rows": rows,
        "properties": properties,
        "formats": format_selects(proposal.how, chosen, TableFile(table).sheet_names()),
        "rules": rule_selects(chosen),
        "constants": _constants(ready, asked["more"], dict(properties)),
        "keys": _keys(ready, dict(properties)),
        "further": _further(ready, properties),
        "problems": problems,
        "can_run": not problems,
    }


def _properties(target: ModelTarget) -> list[tuple[str, str]]:
    """Return the properties that a column may be, and what they are called."""
    spec, labels = target.spec, present_labels(target)
    names = [name for name in property_names(spec) if name != folder_flag(spec)]
    line = _("Line: %s")
    return [
        (name, line % labels.get(name, name) if "." in name else labels.get(name, name))
        for name in names
    ]


def _constants(
    ready: PreparedTable, more: str | None, labels: dict[str, str]
) -> list[Select]:
    """Return the values of all rows: those given, and those that are needed."""
    spec, proposal = ready.target.spec, ready.proposal
    given = {
        c.property: c.default for c in proposal.description.columns if not c.column
    }
    wanted = dict.fromkeys([*given, *proposal.missing, *filter(None, [more])])
    found = []
    for name in wanted:
        if name not in labels or "." in name or field_of(spec, name).lines:
            continue
        choices = values_of(field_of(spec, name))
        text = _text(given.get(name))
        if text and choices and text not in dict(choices):
            choices.append((text, text))
        found.append(Select(name, labels[name], text, choices))
    return found


def _text(value: Any) -> str:
    """Return a value of all rows as a field of the form has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _keys(ready: PreparedTable, labels: dict[str, str]) -> list[tuple[str, str, bool]]:
    """Return the properties that may identify a row, and whether they do."""
    described = ready.proposal.description
    names = [
        c.property for c in described.columns if c.column and "." not in c.property
    ]
    return [(n, labels.get(n, n), n in described.key) for n in dict.fromkeys(names)]


def _further(
    ready: PreparedTable, properties: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the properties that could have a value for all rows."""
    given = {column.property for column in ready.proposal.description.columns}
    given |= set(ready.proposal.missing)
    return [(n, label) for n, label in properties if "." not in n and n not in given]
