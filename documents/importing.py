"""Documents as import targets: posted, and created from one another, like by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from msgspec.structs import replace

from documents import services
from documents.creation import creations
from documents.licence_guard import admit_package
from documents.models import Document
from documents.numbering import numbering_year, upcoming
from documents.serializers import DOCUMENTS
from importer import Mark, Moment, OnChange, OnUserModified, Problem, registry
from importer.registry import PackageCheck, StepKind, Survey
from importer.targets import (
    Draft,
    RowLookup,
    SourceSpec,
    TargetSpec,
    Write,
    authorise,
    not_live,
)
from platform_site.changes.models import ChangeEvent
from platform_site.records.importing import RecordTarget, register_record

DOCUMENT = StepKind(
    key="document",
    keys=("match", "submit", "onChange", "onUserModified", "onDeleted"),
    on_change=OnChange.SKIP,
    title="Documents",
    also=("dictionary",),
)
# A copy is made once: what its source or its object say later is drift (OPEN-06).
CREATE_FROM = StepKind(
    key="createFrom",
    keys=("submit", "onDeleted"),
    on_change=OnChange.SKIP,
    title="Documents created from others",
    on_user_modified=OnUserModified.OVERWRITE,
    narrows=DOCUMENT.key,
)


class DocumentTarget(RecordTarget):
    """Documents: they can be posted as well, and made from one another."""

    model: type[Document]

    def describe(self) -> TargetSpec:
        """Say as well what documents repeat of their step, and what makes them."""
        sources = tuple(
            SourceSpec(creation.source, creation.fills)
            for creation in creations()
            if creation.target == self.name
        )
        return replace(super().describe(), submitted="isActive", sources=sources)

    def copy_of(
        self, source: str, row: Any, user: Any, moment: Moment
    ) -> dict[str, Any]:
        """Return a document's values copied from another; Refusal if it cannot be."""
        return services.copied(row, self.model, {}, actor=user, now=moment.instant)

    def foretell(
        self,
        row: Document,
        drawn: dict[Any, Iterator[str]],
        taken: Callable[[str], bool],
    ) -> None:
        """Give a planned document the number it would draw, where it has none."""
        if row.code:
            return
        year = numbering_year(row.date)
        codes = drawn.setdefault((self.name, year), upcoming(self.model, year))
        row.code = next(code for code in codes if not taken(code))

    def draft(
        self, order: Write, lookup: RowLookup, others: Mapping[str, Any] | None = None
    ) -> Draft:
        """Judge a write; an order to submit asks for posting as well."""
        draft = super().draft(order, lookup, others)
        row, was = draft.row, _is_posted(draft)
        row.compute_total()
        draft.unjudged = was and self.model.moved_by(draft.columns)
        if _posts(draft):
            draft.unjudged = row.is_active = True
            draft.columns.add("is_active")
        if row.is_active != was:
            before = None if draft.before is None else was
            draft.changes["isActive"] = [before, row.is_active]
        return draft

    def action(self, draft: Draft, mark: Mark | None) -> ChangeEvent.Action:
        """Name posting by a person, where nothing else is changed."""
        if mark is not None or draft.columns != {"is_active"} or draft.before is None:
            return super().action(draft, mark)
        actions = ChangeEvent.Action
        return actions.POSTED if draft.row.is_active else actions.UNPOSTED

    def judge(self, draft: Draft, lookup: RowLookup) -> Iterator[Problem]:
        """Yield as well what forbids posting: only an old document has such references."""
        yield from super().judge(draft, lookup)
        row = draft.row
        if row.is_active and row.is_deleted and not _is_posted(draft):
            message = _("%(row)s is deleted; restore it first.")
            yield Problem("", message % {"row": row})
        if _posts(draft) and draft.before is not None and not draft.order.restore:
            yield from not_live(self.references(draft.row), lookup)

    def authorise_further(self, draft: Draft) -> None:
        """Refuse whoever lacks the right to post a document that is submitted."""
        super().authorise_further(draft)
        if _posts(draft):
            authorise(draft.order.user, self.model, "post")


def _is_posted(draft: Draft) -> bool:
    return draft.before is not None and draft.before.is_active


def _posts(draft: Draft) -> bool:
    """Tell whether a write asks for posting what is not posted yet."""
    return draft.order.submit and not _is_posted(draft) and not draft.row.is_deleted


def judge(surveys: Sequence[Survey]) -> Iterable[str]:
    """Return what the licence has against the documents of a package (OPEN-82)."""
    return admit_package(Document.kinds(), surveys)


registry.register_step_kind(DOCUMENT)
registry.register_step_kind(CREATE_FROM)
for serializer in DOCUMENTS:
    register_record(serializer, kind=DOCUMENT.key, target=DocumentTarget)
registry.register_check(
    PackageCheck(frozenset(kind.catalog_name for kind in Document.kinds()), judge)
)
