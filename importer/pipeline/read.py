"""The first reading of a package: from bytes to checked and remembered objects.

Keys can be in any order: objects before the keys that they need are read again later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from importer.package import paths
from importer.package.check import Checked, ItemCheck
from importer.package.duplicate_keys import duplicate_key_message
from importer.package.earlier_names import WAS, taken_out
from importer.package.fields import TargetSpec, longest
from importer.package.given_errors import checked_object
from importer.package.hashing import canonical, digest_of
from importer.package.json_stream import CHUNK, JsonError, JsonStream
from importer.package.json_values import half_a_pair, too_deep
from importer.package.object_names import object_name
from importer.package.package_format import PackageFormat
from importer.package.references import BY_ID, Reference
from importer.package.shapes import (
    Header,
    PackageError,
    Problem,
    Step,
    error,
    header_of,
)
from importer.package.step_objects import SOURCE
from importer.package.translation import gettext as _
from importer.package.wire_values import short
from importer.pipeline.earlier_rows import check_earlier_ids
from importer.pipeline.memory import Memory
from importer.pipeline.policies import contradictions, policy_of
from importer.pipeline.read_errors import ReadErrors, TooManyErrors, syntax_error

_EVERY = 1000
_LONGEST_VALUE = 1 << 16


class PackageReader:
    """The reader of one package, from a seekable source into a memory."""

    def __init__(
        self,
        source: BinaryIO,
        package_format: PackageFormat,
        memory: Memory,
        passed: Callable[[int], None] = lambda count: None,
        named: Callable[[Header], None] = lambda header: None,
    ) -> None:
        self._source = source
        self._format = package_format
        self._memory = memory
        self._passed = passed
        self._named = named
        self._where = paths.WHOLE
        self._specs: list[TargetSpec | None] = []
        self._errors = ReadErrors(package_format.header_check)
        self._good: list[Step] = []
        self._arrays: tuple[str, ...] = ()
        self._code = ""
        self._read = 0

    def read(self) -> Header:
        """Read everything once and return the header.

        Raise PackageError for whatever ends a run before its first write: errors of
        syntax, header and steps, and duplicate ``$id`` (OPEN-35). Errors of single
        objects are stored in the memory. ``named`` is called with a valid header before
        the steps.
        """
        keys: dict[str, Any] = {}
        try:
            self._stream = JsonStream(self._source)
            self._package(keys)
            if self._stream.peek():
                self._stream.fail(_("there is content after the end of the package"))
        except TooManyErrors:
            pass
        except JsonError as wrong:
            raise PackageError(syntax_error(self._source, wrong, self._where)) from None
        except OSError as failure:
            reason = failure.strerror or str(failure)
            sentence = _("the file cannot be read: %(reason)s") % {"reason": reason}
            raise PackageError(error(paths.WHOLE, sentence)) from None
        if self._errors.check_header(keys):
            self._named(header_of(keys))
        if errors := self._errors.diagnostics() or contradictions(self._good):
            raise PackageError(*errors)
        self._memory.steps.extend(self._good)
        check_earlier_ids(self._memory)
        return header_of(keys)

    def _check_step(self, index: int, keys: Any) -> None:
        """Keep a valid step; errors of others are reported at the end."""
        if self._errors.check_step(index, keys):
            self._good.append(self._step_of(index, keys))
        self._count()

    def _count(self) -> None:
        """Report progress and check for cancellation now and then."""
        if self._read % _EVERY == 0:
            self._passed(len(self._memory))
        self._read += 1

    def _step_of(self, index: int, keys: dict[str, Any]) -> Step:
        objects = self._format.step_objects(keys)
        if objects is None:  # the header check refuses such a step
            raise LookupError(keys)
        return Step(
            index=index,
            kind=objects.kind.key,
            target=objects.spec.name,
            policy=policy_of(objects.kind, keys),
            fields=objects.fields,
            match=tuple(dict.fromkeys(keys.get("match", ()))),
            take_over=tuple(dict.fromkeys(keys.get("takeOver", ()))),
            source=objects.source,
            submit=objects.submit,
        )

    def _package(self, keys: dict[str, Any]) -> None:
        """Read the package into its keys, with an empty list of steps."""
        if self._stream.peek() != "{":
            self._stream.fail(_("a package must be a JSON object, which begins with {"))

        def member(key: str) -> Any:
            is_array = key == "steps" and self._stream.peek() == "["
            return self._steps() if is_array else self._value()

        self._members(keys, member)

    def _members(self, values: dict[str, Any], member: Callable[[str], Any]) -> None:
        """Read an object, each member with a function chosen by its key."""
        stream = self._stream
        more = stream.opened("{", "}", _("an object is missing"))
        while more:
            key = stream.key()
            if key in values:
                stream.refuse(duplicate_key_message(key))
            values[key] = member(key)
            more = stream.more("}")

    def _value(self) -> Any:
        value = self._stream.value()
        try:
            length = len(canonical(value))
        except UnicodeEncodeError:
            self._stream.refuse(half_a_pair())
        except RecursionError:
            self._stream.refuse(too_deep())
        if length > _LONGEST_VALUE:
            sentence = _("a value outside the objects is larger than %(most)s bytes")
            self._stream.refuse(sentence % {"most": _LONGEST_VALUE})
        return value

    def _steps(self) -> list[Any]:
        stream, index = self._stream, 0
        more = stream.opened("[", "]")
        while more:
            self._where = paths.step_path(index)
            is_object = stream.peek() == "{"
            self._specs.append(None)
            self._memory.begin_step()
            self._check_step(index, self._step(index) if is_object else self._value())
            self._where = paths.WHOLE
            more = stream.more("]")
            index += 1
        return []

    def _step(self, index: int) -> dict[str, Any]:
        keys: dict[str, Any] = {}
        read_with: list[tuple[tuple[int, int], dict[str, Any]]] = []

        def member(key: str) -> Any:
            if key == "items" and self._stream.peek() == "[":
                place = (self._stream.place(), self._stream.line())
                read_with.append((place, dict(keys)))
                self._items(index, keys)
                return []
            keys[key] = self._value()
            return keys[key]

        values: dict[str, Any] = {}
        self._members(values, member)
        for place, known in read_with:
            if known != keys:
                # Keys after the objects change the check: read the objects again.
                self._read_again(index, keys, place)
        return values

    def _read_again(
        self, index: int, keys: dict[str, Any], place: tuple[int, int]
    ) -> None:
        """Read the objects again that begin at a place, a byte offset and its line."""
        (start, line), stream = place, self._stream
        chunk = min(stream.place() - start, CHUNK)
        self._memory.forget_from(self._memory.first(index))
        self._errors.forget_duplicates(index)
        self._stream = JsonStream(self._source, start, line=line, chunk=chunk)
        self._items(index, keys)
        self._stream = stream
        stream.resume()

    def _items(self, index: int, keys: dict[str, Any]) -> None:
        check = self._check_for(index, keys)
        stream = self._stream
        number, more = 0, stream.opened("[", "]")
        while more:
            begins = stream.peek()
            if begins in ("", "]"):
                stream.fail(_("an object is missing"))
            if begins != "{":
                self._where = paths.item_path(index, number)
                stream.refuse(_("every item must be an object, which begins with {"))
            start, line = stream.place(), stream.line()
            item, written = self._object(index, number, start)
            if check is not None:
                place = (start, stream.place() - start, line)
                if WAS in item:
                    self._memory.earlier_ids[len(self._memory)] = taken_out(item)
                    written = canonical(item)
                checked = checked_object(item, written, check)
                self._remember(index, item, checked, written, place)
            self._count()
            number += 1
            more = stream.more("]")
        self._where = paths.step_path(index)

    def _object(self, index: int, number: int, start: int) -> tuple[Any, bytes]:
        """Read the object at a place; return it with its canonical form."""
        try:
            return self._stream.written_value()
        except UnicodeEncodeError:
            wrong = JsonError(half_a_pair(), start, syntax=False)
        except RecursionError:
            wrong = JsonError(too_deep(), start, syntax=False)
        except JsonError as refusal:
            wrong = refusal
        self._where = paths.item_path(index, number)
        raise wrong

    def _check_for(self, index: int, keys: dict[str, Any]) -> ItemCheck | None:
        objects = self._format.step_objects(keys)
        if objects is None:
            return None
        spec = self._specs[index] = objects.spec
        self._arrays, self._code = spec.arrays, spec.code
        match = keys.get("match")
        names = {field.name for field in spec.fields}
        listed = match if isinstance(match, list) else []
        usable = (n for n in listed if isinstance(n, str) and n in names)
        return self._format.item_check(objects, tuple(dict.fromkeys(usable)))

    def _remember(
        self,
        index: int,
        item: dict[str, Any],
        checked: Checked,
        written: bytes,
        place: tuple[int, int, int],
    ) -> None:
        memory, problems = self._memory, checked.problems
        number, lines = len(memory), longest(item, self._arrays)
        for reference in checked.references:
            if reference.by != BY_ID:
                memory.use_code(number, reference)
            elif problem := self._refer(reference):
                problems.append(problem)
            elif reference.path == SOURCE and self._arrays:
                # An object created from another gets its lines or gives its own.
                lines = lines or memory.lines(memory.numbers[reference.key])
        digest = digest_of(written)
        memory.add(checked.id, digest, place, named=checked.has_id, lines=lines)
        if memory.doubled:
            self._errors.add_duplicate(index, number - memory.first(index), checked.id)
        if problems:
            memory.problems[number] = problems.listed()
        if problems or number in memory.earlier_ids:
            memory.names[number] = object_name(item, self._code)

    def _refer(self, reference: Reference) -> Problem | None:
        """Note a reference to an object, or why it is invalid."""
        path, key = reference.path, reference.key
        number = self._memory.ids.number(key)
        if number is None:
            reason = _("no object before this one has the $id %(id)s")
            reason %= {"id": short(key)}
            reason += self._errors.suggest_id(key, self._memory.numbers)
            return Problem(path, reason, "not-found", key)
        spec = self._specs[self._memory.step_of(number)]
        if spec is not None and spec.name != reference.to:
            reason = _("%(id)s is an object of %(target)s, not of %(wanted)s")
            names = {"id": short(key), "target": spec.name, "wanted": reference.to}
            return Problem(path, reason % names, "wrong-target", key)
        self._memory.name(number)
        return None
