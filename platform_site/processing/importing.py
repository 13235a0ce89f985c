"""The step kind `dataProcessor`: a package executes a data processor once for each of
its objects, and a row records each execution (OPEN-07)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from importer import Mark, OnChange, registry
from importer.models import ImportRun
from importer.registry import StepKind
from importer.targets import Draft, RowLookup, SerializerTarget, TargetSpec, Write
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.models import ProcessorExecution
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import (
    discover,
    find_processor,
    registered_processors,
)
from platform_site.processing.rights import may_execute
from platform_site.processing.started_via import started_via

DATA_PROCESSOR = StepKind(
    key="dataProcessor",
    keys=("onChange", "execute"),
    # A finished execution isn't repeated unless the step says `update`.
    on_change=OnChange.SKIP,
    title="Executions of a data processor",
)


@dataclass(slots=True)
class Planned(Draft):
    """A valid execution that has not happened yet."""

    ready: services.Ready | None = field(default=None)


class ProcessorTarget(SerializerTarget):
    """The import target of one processor; its rows are executions."""

    unique = ()

    def __init__(self, processor: type[DataProcessor]) -> None:
        name = processor.__name__
        super().__init__(
            ProcessorExecution,
            processor.Input,
            name=name,
            kind=DATA_PROCESSOR.key,
            code="",
        )
        self._title = services.about(processor).title

    def describe(self) -> TargetSpec:
        """Return the description, with the processor's title."""
        return replace(super().describe(), title=self._title)

    @property
    def _all(self) -> models.QuerySet[Any]:
        return super()._all.filter(processor=self.name)

    def prepare(self, order: Write, lookup: RowLookup) -> Planned:
        """Check name, right, input and files, also in dry runs (OPEN-07)."""
        if services.get_processor(self.name).imports:
            raise InvalidStateError(
                _(
                    "“%(title)s” (%(name)s) starts an import itself, and only one "
                    "import runs at a time, so a package can't execute it. Execute "
                    "it on its page, through the API or as a job."
                )
                % {"title": services.title_of(self.name), "name": self.name}
            )
        ready = services.prepare(
            self.name, order.values or {}, user=order.user, lookup=lookup
        )
        services.require_files(ready)
        values = {
            "processor": self.name,
            "input": ready.input,
            "user_name": order.user.get_username(),
        }
        draft = Draft.of(self.model, order, values)
        planned = Planned(draft.order, draft.row, draft.before, draft.columns)
        planned.ready = ready
        planned.columns.add("executed_at")
        if draft.before is not None:
            planned.changes.update(_differences(draft.before.input, ready.input))
        return planned

    def simulate(self, prepared: Any, lookup: RowLookup) -> str:
        """Return what the processor says that it would do, or that it says nothing."""
        planned: Planned = prepared
        said = None
        if planned.ready is not None:
            said = services.dry_run(planned.ready, user=planned.order.user)
        if said is None:
            return _("only the import executes this processor; its input is valid")
        return said

    def commit(self, prepared: Any, mark: Mark | None) -> int:
        """Execute and record it; raise Refusal for any failure.

        The processor uses its own transactions: a single one around it would lock out
        all others as long as it takes.
        """
        planned: Planned = prepared
        if planned.ready is not None:
            execution = services.run(planned.ready, user=planned.order.user)
            row = planned.row
            row.result, row.seconds = execution.result, execution.seconds
            row.executed_at = execution.finished
            planned.columns |= {"result", "seconds"}
        return super().commit(planned, mark)


def _differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, list[Any]]:
    return {
        name: [before.get(name), value]
        for name, value in after.items()
        if before.get(name) != value
    }


def starter_of(name: str, user: Any) -> tuple[str, str]:
    """Return the title of the processor that started a run, and the URL of its page."""
    known = find_processor(name)
    may = known is not None and user.is_staff and may_execute(user, known)
    page = reverse("processor", args=[name]) if may else ""
    return services.title_of(name), page


# The importer loads this module before the processors are discovered.
discover()
registry.register_started_via(started_via)
registry.register_starter(ImportRun.StartedVia.PROCESSOR, starter_of)
registry.register_step_kind(DATA_PROCESSOR)
for processor in registered_processors().values():
    registry.register_target(ProcessorTarget(processor))
