"""The import targets of documents, and the step kinds that submit documents or create
them from others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from django.utils.translation import gettext as _
from msgspec.structs import replace

from documents import services
from documents.behaviors.planned_uses import PlannedUses
from documents.creation import creations
from documents.licence_guard import admit_package
from documents.models import Document
from documents.numbering import PlannedNumbers
from documents.posting.simulation import SimulatedStock
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
from platform_site.records.models import Record

DOCUMENT = StepKind(
    key="document",
    keys=(
        "match",
        "takeOver",
        "submit",
        "onChange",
        "onUserModified",
        "onDeleted",
        "onMissing",
        "maxDelete",
    ),
    on_change=OnChange.SKIP,
    title="Documents",
    also=("dictionary",),
)
# A copy is made once: later changes of its source or object are drift (OPEN-06).
CREATE_FROM = StepKind(
    key="createFrom",
    keys=("submit", "onDeleted", "onMissing", "maxDelete"),
    on_change=OnChange.SKIP,
    title="Documents created from others",
    on_user_modified=OnUserModified.OVERWRITE,
    refines=DOCUMENT.key,
)


class DocumentTarget(RecordTarget):
    """An import target for documents, which can also be posted and created from
    others."""

    model: type[Document]

    def describe(self) -> TargetSpec:
        """Return the description, with the property set by `submit` and the
        creations."""
        sources = tuple(
            SourceSpec(creation.source, creation.fills)
            for creation in creations()
            if creation.target == self.name
        )
        return replace(super().describe(), submitted="isActive", sources=sources)

    def copy_of(
        self, source: str, row: Any, user: Any, moment: Moment
    ) -> dict[str, Any]:
        """Return the values of a copy; raise Refusal if the source can't be copied."""
        return services.copied(row, self.model, {}, actor=user, now=moment.instant)

    def load_simulation(self, writes: Sequence[Write], lookup: RowLookup) -> None:
        """Load the stock that the documents of a window may move."""
        stock = lookup.simulated(SimulatedStock)
        if stock is not None:
            stock.load(self.model, writes, self.typed)

    def simulate(self, prepared: Any, lookup: RowLookup) -> str:
        """Post a document in a dry run; a new one also gets the number that it would
        draw."""
        draft: Draft = prepared
        row, was = draft.row, _is_posted(draft)
        active = row.is_active and not row.is_deleted
        stock = lookup.simulated(SimulatedStock)
        moved = active and self.model.moved_by(draft.columns)
        if stock is not None and (moved or active != was):
            stock.settle(row, lookup, was=was, active=active)
        numbers = lookup.simulated(PlannedNumbers)
        if numbers is not None and draft.before is None and not row.code:
            row.code = numbers.draw(
                row, lambda code: bool(lookup.holders(self.model, "code", code))
            )
        uses = lookup.simulated(PlannedUses)
        if uses is not None and not draft.idle and (was or active):
            uses.note(row, was=was, active=active)
        return super().simulate(prepared, lookup)

    def draft(
        self, order: Write, lookup: RowLookup, others: Mapping[str, Any] | None = None
    ) -> Draft:
        """Return the draft of a write; with `submit` it also posts the document."""
        draft = super().draft(order, lookup, others)
        row, was = draft.row, _is_posted(draft)
        row.compute_total()
        if _posts(draft):
            row.is_active = True
            draft.columns.add("is_active")
        if row.is_active != was:
            before = None if draft.before is None else was
            draft.changes["isActive"] = [before, row.is_active]
        return draft

    def action(self, draft: Draft, mark: Mark | None) -> ChangeEvent.Action:
        """Return Posted or Unposted if a user's write changes nothing else."""
        if mark is not None or draft.columns != {"is_active"} or draft.before is None:
            return super().action(draft, mark)
        actions = ChangeEvent.Action
        return actions.POSTED if draft.row.is_active else actions.UNPOSTED

    def judge(self, draft: Draft, lookup: RowLookup) -> Iterator[Problem]:
        """Yield problems, including those of posting: deleted rows and deleted
        references."""
        yield from super().judge(draft, lookup)
        row = draft.row
        if row.is_active and row.is_deleted and not _is_posted(draft):
            message = _("%(row)s is deleted; restore it first.")
            yield Problem("", message % {"row": row})
        if _posts(draft) and draft.before is not None and not draft.order.restore:
            yield from not_live(self.references(draft.row), lookup)

    def put_back(self, row: Record, values: dict[str, Any], actor: Any) -> Record:
        """Give a document former values again; it is posted only if it was before."""
        document = cast(Document, row)
        posted = values.pop("isActive", document.is_active)
        if document.is_active and not posted:
            version = document.version
            document = services.unpost(
                row=document, actor=actor, expected_version=version
            )
        document = cast(Document, super().put_back(document, values, actor))
        if posted and not document.is_active:
            document = services.post(
                row=document, actor=actor, expected_version=document.version
            )
        return document

    def authorise_further(self, draft: Draft) -> None:
        """Refuse users who lack the right to post if the write posts the document."""
        super().authorise_further(draft)
        if _posts(draft):
            authorise(draft.order.user, self.model, "post")


def _is_posted(draft: Draft) -> bool:
    return draft.before is not None and draft.before.is_active


def _posts(draft: Draft) -> bool:
    """Return whether a write posts a document that isn't posted yet."""
    return draft.order.submit and not _is_posted(draft) and not draft.row.is_deleted


def judge(surveys: Sequence[Survey]) -> Iterable[str]:
    """Return the objections of the licence to the documents of a package (OPEN-82)."""
    return admit_package(Document.kinds(), surveys)


registry.register_step_kind(DOCUMENT)
registry.register_step_kind(CREATE_FROM)
for serializer in DOCUMENTS:
    register_record(serializer, kind=DOCUMENT.key, target=DocumentTarget)
registry.register_check(
    PackageCheck(frozenset(kind.catalog_name for kind in Document.kinds()), judge)
)
