"""What can be done with documents beside creating, changing and deleting them, which
are `platform_site.records.services`: post, unpost, create one from another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from documents.creation import created, creation_of
from documents.models import Document
from importer.pipeline.ports import Write
from importer.prepared import Draft, authorise
from importer.serializers import borrowed
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import record_change
from platform_site.records import references, wire
from platform_site.records import services as records
from platform_site.records.errors import Problem, Refusal, Stale
from platform_site.records.look import DatabaseLook, Look

MAY_NOT = (
    gettext_noop("%(user)s may not post %(rows)s."),
    gettext_noop("%(user)s may not unpost %(rows)s."),
)

Actions = ChangeEvent.Action


def post(*, row: Any, actor: Any, expected_version: int | None = None) -> Any:
    """Post a document and return it; Refusal with everything as before.

    Like any change by a person it moves ``modified`` and version (IMP-072).
    """
    authorise(actor, type(row), "post")
    return _switch(row, to=True, version=expected_version)


def unpost(*, row: Any, actor: Any, expected_version: int | None = None) -> Any:
    """Take back what a document posted; Refusal if later documents rely on it."""
    authorise(actor, type(row), "unpost")
    return _switch(row, to=False, version=expected_version)


def _switch(row: Any, *, to: bool, version: int | None) -> Any:
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
        document.submit = to
        document.save(update_fields={"modified"})
        record_change(
            action=Actions.POSTED if to else Actions.UNPOSTED,
            model=model.catalog_name,
            row_id=document.pk,
            row=str(document),
            changes={"isActive": [not to, to]},
        )
    return document


def prepare(order: Write, model: type[Document], look: Look | None = None) -> Draft:
    """Prepare a write as records do; an order to submit asks for posting as well.

    ``records.services.commit`` writes the draft, posts it and records one event.
    """
    draft = records.prepare(order, model, look)
    draft.row.compute_total()
    posted = draft.before is not None and draft.before.is_active
    draft.unjudged = posted and model.moved_by(draft.columns)
    if order.submit and not posted and not draft.row.is_deleted:
        draft.unjudged = True
        authorise(order.user, model, "post")
        draft.row.submit = True
        _refuse_deleted_references(draft, look or DatabaseLook())
        draft.columns.add("is_active")
        draft.changes["isActive"] = [None if draft.before is None else False, True]
    return draft


def _refuse_deleted_references(draft: Draft, look: Look) -> None:
    """Refuse to post what refers to deleted rows, which only an old document can."""
    if draft.before is not None and not draft.order.restore:
        problems = references.judge(draft.row, look)
        if problems:
            raise Refusal(problems)


def save_and_post(
    *, model: type[Document], row: Any | None, data: Mapping[str, Any], actor: Any
) -> Any:
    """Create a document, or change one, and post it in the same unit of work.

    Refusal with everything as before if it cannot be posted as it would be.
    """
    version = None if row is None else row.version
    order = Write(dict(data), actor, row=row, version=version, submit=True)
    draft = prepare(order, model)
    if row is not None and draft.columns <= {"is_active"}:
        # Nothing but posting: its event says so.
        return post(row=row, actor=actor, expected_version=version)
    return records.commit(draft)


def wire_values(document: Document) -> dict[str, Any]:
    """Return a document, stored or only planned, as it is on the wire."""
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
    """Create a document from another, unposted; Refusal for what the copy lacks.

    It is a copy at this moment: later changes of the source are not followed.
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

    Refusal where nothing can be created from it, or the actor may not see it.
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
