"""The writing of an export as the file of a package, one window of rows in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, cast

import msgspec
from django.utils.translation import gettext as _, ngettext

from importer import conf, registry
from importer.exporting.arrangement import StepRows, arranged
from importer.exporting.identities import Identities
from importer.exporting.objects import ObjectMaker
from importer.exporting.selection import Selection, in_order
from importer.package.check import ItemCheck
from importer.package.hashing import source_hash
from importer.package.shapes import (
    EVERY_PACKAGE,
    FORMAT,
    MORE,
    MOST_PROBLEMS,
    Origin,
    Problem,
    Refusal,
)
from importer.package.step_schema import MAX_PACKAGE
from importer.package.wire_values import is_identifier, not_an_identifier

_AT_ONCE = 500
_encode = msgspec.json.Encoder(decimal_format="number").encode


class Exported(msgspec.Struct, frozen=True):
    """What an export has written: the number of objects of each target.

    ``changed`` counts the rows with a mark of the same package that differ from what
    was imported then.
    """

    package: str
    counts: dict[str, int]
    changed: int


class NotExportable(Refusal):
    """The refusal of an export: the rows that no package can have, and why."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[:MOST_PROBLEMS])
        more = len(problems) - MOST_PROBLEMS
        if more > 0:
            sentence = ngettext(
                "%(count)s further problem isn't listed.",
                "%(count)s further problems aren't listed.",
                more,
            )
            self.problems += (Problem("", sentence % {"count": more}, MORE),)

    def sentences(self) -> list[str]:
        """Return a sentence with its place for each problem."""
        return [
            f"{p.path}: {p.message}." if p.path else p.message for p in self.problems
        ]


def exported_file(
    selections: Sequence[Selection], *, package: str, version: int = 1
) -> tuple[BinaryIO, Exported]:
    """Return the temporary file of an export, at its beginning, and what it has.

    Nobody gets a part of a package: raise NotExportable before that.
    """
    _check_name(package)
    file = cast(BinaryIO, tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER")))  # noqa: SIM115 - the caller closes it
    try:
        done = write_export(file, selections, package=package, version=version)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file, done


def write_export(
    file: BinaryIO,
    selections: Sequence[Selection],
    *,
    package: str,
    version: int = 1,
) -> Exported:
    """Write a package with all rows; raise NotExportable if it can't have them all."""
    export = _Export(file, in_order(selections), package)
    export.write(version)
    if export.problems:
        raise NotExportable(export.problems)
    return Exported(package, export.counts, export.changed)


class _Export:
    """One export: its place in the file, its counts and its problems."""

    def __init__(
        self, file: BinaryIO, selections: Sequence[Selection], package: str
    ) -> None:
        self._file = file
        self._selections = selections
        self._package = package
        targets = [selection.target for selection in selections]
        identities = Identities(package, targets)
        self._objects = ObjectMaker(selections, registry.targets(), identities)
        self.problems: list[Problem] = []
        self.counts = {target.name: 0 for target in targets}
        self.changed = 0

    def write(self, version: int) -> None:
        """Write the whole package: a line for each object."""
        header = {
            "format": FORMAT,
            "package": self._package,
            "version": version,
            "origin": Origin.IMPORT.value,
            "configuration": conf.configuration(),
        }
        self._file.write(b"{\n")
        for key, value in header.items():
            self._file.write(b"  %b: %b,\n" % (_encode(key), _encode(value)))
        self._file.write(b'  "steps": [')
        between = b"\n"
        for selection in self._selections:
            for batch in arranged(selection, self.problems):
                if batch.keys:
                    self._file.write(between)
                    self._step(selection.target, batch)
                    between = b",\n"
        self._file.write(b"\n  ]\n}\n")

    def _step(self, target: Any, batch: StepRows) -> None:
        keys = step_keys(target, submit=batch.submit)
        check = _check_of(keys)
        written = b", ".join(b"%b: %b" % (_encode(k), _encode(keys[k])) for k in keys)
        self._file.write(b'    {%b, "items": [' % written)
        between = b"\n"
        for start in range(0, len(batch.keys), _AT_ONCE):
            window = batch.keys[start : start + _AT_ONCE]
            for row, item in self._objects.objects(target, window, self.problems):
                content = _encode(item)
                place = f"{target.name} {row}"
                self.problems += _problems(check, item, content, place)
                self._file.write(b"%b      %b" % (between, content))
                between = b",\n"
                self.counts[target.name] += 1
                own = row.import_source == self._package
                self.changed += own and source_hash(item) != row.import_source_hash
        self._file.write(b"\n    ]}")


def step_keys(target: Any, *, submit: bool | None) -> dict[str, Any]:
    """Return the keys of a step with exported rows.

    Its objects take rows over from other packages, because only one package can own a
    row, and this one has all of them.
    """
    spec = target.spec
    keys: dict[str, Any] = {spec.kind: target.name}
    if spec.code:
        keys |= {"match": [spec.code], "takeOver": [EVERY_PACKAGE]}
    return {**keys, "submit": True} if submit else keys


def _check_of(keys: dict[str, Any]) -> ItemCheck:
    package_format = registry.package_format()
    objects = package_format.step_objects(keys)
    if objects is None:
        raise LookupError(keys)
    return package_format.item_check(objects, tuple(keys.get("match", ())))


def _problems(
    check: ItemCheck, item: dict[str, Any], content: bytes, place: str
) -> Iterator[Problem]:
    """Yield why an import would refuse an object, by the check of the import itself."""
    for problem in check(item, content).problems:
        path = f"{place}: {problem.path}" if problem.path else place
        yield Problem(path, problem.message, problem.code)


def _check_name(package: str) -> None:
    """Raise Refusal if a package can't have a name."""
    if not 0 < len(package) <= MAX_PACKAGE or not package.isprintable():
        sentence = _("A package has a name of 1 to %(most)s printable characters.")
        raise Refusal([Problem("package", sentence % {"most": MAX_PACKAGE})])
    if not is_identifier(package):
        raise Refusal([Problem("package", not_an_identifier(package))])
