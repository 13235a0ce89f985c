"""Hold what can be imported into this installation: kinds, targets, schema, checks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from importer.package.check import ItemCheck
from importer.package.fields import TargetSpec
from importer.package.forms import Form, form_of
from importer.package.kinds import StepKind
from importer.package.schema import package_schema
from importer.package.skeleton import SkeletonCheck

_MOST_CHECKS = 1000


class Catalogue:
    """Describe every package this installation understands."""

    def __init__(
        self,
        configuration: str,
        kinds: Iterable[StepKind],
        specs: Iterable[TargetSpec],
    ) -> None:
        self.configuration = configuration
        self.kinds = {kind.key: kind for kind in kinds}
        self.specs = {spec.name: spec for spec in specs}
        self._forms: dict[tuple[Any, ...], Form] = {}
        self._checks: dict[tuple[Form, tuple[str, ...]], ItemCheck] = {}

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of all packages."""
        kinds, specs = self.kinds.values(), self.specs.values()
        return package_schema(self.configuration, kinds, specs)

    @cached_property
    def skeleton_check(self) -> SkeletonCheck:
        """Return the check of header and step keys."""
        return SkeletonCheck(self.schema)

    def form_of(self, keys: dict[str, Any]) -> Form | None:
        """Return what a step's keys say of its objects, None if they say nothing.

        The kind follows from the target: a document named as a catalog would be is a
        document all the same (OPEN-05). Thousands of steps may share one form.
        """
        named = tuple((kind, keys[kind]) for kind in self.kinds if kind in keys)
        if not all(isinstance(name, str) for _, name in named):
            return None
        said = (*named, keys.get("submit") is True)
        form = self._forms.get(said) or self._form_of(keys)
        if form is not None:
            self._forms[said] = form
        return form

    def _form_of(self, keys: dict[str, Any]) -> Form | None:
        given = [kind for kind in self.kinds.values() if kind.key in keys]
        naming = [kind for kind in given if not kind.narrows]
        if len(naming) != 1 or len(given) > 2:
            return None
        by = naming[0].key
        spec = self._named(keys[by])
        kind = self.kinds.get(spec.kind) if spec else None
        if spec is None or kind is None or by not in (kind.key, *kind.also):
            return None
        submit, source = keys.get("submit") is True, ""
        for narrower in (kind for kind in given if kind.narrows):
            kind, source = narrower, keys[narrower.key]
            if kind.narrows != by or source not in [s.target for s in spec.sources]:
                return None
        return form_of(kind, spec, source, submit=submit)

    def _named(self, name: Any) -> TargetSpec | None:
        return self.specs.get(name) if isinstance(name, str) else None

    def item_check(self, form: Form, match: tuple[str, ...]) -> ItemCheck:
        """Return the compiled check of a step's objects, compiled once."""
        if (form, match) not in self._checks:
            if len(self._checks) >= _MOST_CHECKS:
                self._checks.clear()
            self._checks[form, match] = ItemCheck(form.fields, match)
        return self._checks[form, match]
