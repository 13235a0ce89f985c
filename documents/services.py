"""The services of documents besides `platform_site.records.services`: post, unpost, and
create one from another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from documents.creation import created, creation_of
from documents.models import Document
from importer.targets import Draft, Write, authorise, borrowed
from platform_site.records import services as records, wire
from platform_site.records.errors import Problem, Refusal, Stale

MAY_NOT = (
    gettext_noop("%(user)s may not post %(rows)s."),
    gettext_noop("%(user)s may not unpost %(rows)s."),
)


def post(*, row: Any, actor: Any, expected_version: int | None = None) -> Any:
    """Post a document and return it; raise Refusal and change nothing if it can't be.

    Like any change by a user it moves ``modified`` and the version (IMP-072).
    """
    authorise(actor, type(row), "post")
    return _switch(row, actor, to=True, version=expected_version)


def unpost(*, row: Any, actor: Any, expected_version: int | None = None) -> Any:
    """Unpost a document and return it; raise Refusal if later documents depend on
    it."""
    authorise(actor, type(row), "unpost")
    return _switch(row, actor, to=False, version=expected_version)


def _switch(row: Any, actor: Any, *, to: bool, version: int | None) -> Any:
    model = type(row)
    rows = model._base_manager.select_for_update(no_key=True)
    with transaction.atomic():
        document = rows.filter(pk=row.pk).first()
        if document is None or version not in (None, document.version):
            raise Stale
        if document.is_deleted:
            message = _("%(row)s is deleted; restore it first.")
            raise Refusal([Problem("", message % {"row": document})])
        if document.is_active == to:
            return document
        order = Write(None, actor, row=document, version=document.version)
        draft = Draft.of(model, order, {"is_active": to})
        draft.changes["isActive"] = [not to, to]
        return records.commit(draft)


def save_and_post(
    *, model: type[Document], row: Any | None, data: Mapping[str, Any], actor: Any
) -> Any:
    """Create or change a document and post it in the same transaction.

    Raise Refusal and change nothing if it can't be posted.
    """
    version = None if row is None else row.version
    order = Write(dict(data), actor, row=row, version=version, submit=True)
    return records.commit(records.prepare(order, model))


def wire_values(document: Document) -> dict[str, Any]:
    """Return the wire form of a document, stored or only planned."""
    document.compute_total()
    serializer = wire.serializer_of(type(document))
    with borrowed(serializer) as lent:
        return dict(lent.to_representation(document))


def create_from(
    *,
    source: Document,
    target: type[Document],
    overrides: Mapping[str, Any],
    actor: Any,
) -> Any:
    """Create an unposted document from another; raise Refusal if values are missing.

    Later changes of the source have no effect on it.
    """
    values = copied(source, target, overrides, actor=actor, now=timezone.now())
    return records.create_record(model=target, data=values, actor=actor)


def copied(
    source: Document,
    target: type[Document],
    overrides: Mapping[str, Any],
    *,
    actor: Any,
    now: datetime,
) -> dict[str, Any]:
    """Return the wire values of a document created from another, stored or planned.

    Raise Refusal if nothing can be created from it, NotAllowed if the actor may not see
    it.
    """
    authorise(actor, type(source), "view")
    if source.is_deleted:
        message = _("%(row)s is deleted; nothing can be created from it.")
        raise Refusal([Problem("", message % {"row": source})])
    try:
        creation = creation_of(source.catalog_name, target.catalog_name)
    except LookupError:
        message = _("%(target)s cannot be created from %(source)s.")
        words = {"target": target.catalog_name, "source": source.catalog_name}
        raise Refusal([Problem("", message % words)]) from None
    return created(creation, wire_values(source), overrides, now=now.isoformat())
