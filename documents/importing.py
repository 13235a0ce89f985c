"""The import targets of documents, and the step kinds that submit documents or create
them from others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

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

    def predict_code(
        self,
        row: Document,
        drawn: dict[Any, Iterator[str]],
        taken: Callable[[str], bool],
    ) -> None:
        """Give a planned document without a code the number that it would draw."""
        if row.code:
            return
        year = numbering_year(row.date)
        codes = drawn.setdefault((self.name, year), upcoming(self.model, year))
        row.code = next(code for code in codes if not taken(code))

    def draft(
        self, order: Write, lookup: RowLookup, others: Mapping[str, Any] | None = None
    ) -> Draft:
        """Return the draft of a write; with `submit` it also posts the document."""
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
