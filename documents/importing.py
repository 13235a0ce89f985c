"""Documents as import targets: posted, and created from one another, like by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from documents import services
from documents.creation import creations
from documents.licence_guard import admit_package
from documents.models import Document
from documents.numbering import numbering_year, upcoming
from documents.serializers import DOCUMENTS
from importer import registry
from importer.package.fields import SourceSpec, TargetSpec
from importer.package.kinds import StepKind
from importer.package.shapes import OnChange, OnUserModified
from importer.package.tokens import Moment
from importer.pipeline.ports import Look as EngineLook
from importer.pipeline.ports import Write
from importer.pipeline.survey import PackageCheck, Survey
from importer.prepared import Draft
from platform_site.records.importing import RecordTarget, WindowLook, register_record

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
    """Prepare through the services of documents, which know how to post."""

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

    def prepare(self, order: Write, look: EngineLook) -> Draft:
        """Take a write as far as the services take it without writing."""
        return services.prepare(order, self.model, WindowLook(look))


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
