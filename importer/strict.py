"""The refusal of unknown properties in all wire values: in the API, for processors, and
wherever rows are written from wire values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from importer.package.printable_text import printable
from importer.package.suggestions import did_you_mean
from importer.sentences import OBJECT, naming

# Django expects it in forms sent with the session cookie.
NOT_OURS = frozenset({"csrfmiddlewaretoken"})
_SEVERAL_NOTATIONS = (serializers.DecimalField, serializers.DateTimeField)
_READ_ONLY = _("This property is read-only: leave it out, or send the value it has.")


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses unknown properties instead of dropping them.

    A read-only property may be sent back with its current value, so that clients can
    write what they have read.
    """

    default_error_messages: ClassVar[dict[str, Any]] = OBJECT

    def to_internal_value(self, data: Any) -> Any:
        """Return the values; raise ValidationError for unknown properties too."""
        if hasattr(data, "getlist"):
            _refuse_doubled(data)
        known = not isinstance(data, Mapping) or data.keys() <= self._writable
        errors = {} if known else dict(self._refused(data))
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(error.detail, dict) or not isinstance(data, Mapping):
                raise
            wrong = error.detail.items()
            named = {name: naming(each, data.get(name)) for name, each in wrong}
            raise serializers.ValidationError({**named, **errors}) from None
        if errors:
            raise serializers.ValidationError(errors)
        return values

    @cached_property
    def _writable(self) -> frozenset[str]:
        return frozenset(n for n, f in self.fields.items() if not f.read_only)

    def _refused(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the forbidden names in the data, each with the reason."""
        for name, value in data.items():
            if name in self._writable or name in NOT_OURS:
                continue
            field = self._read_only(name)
            shown = printable(str(name))
            if field is None:
                text = _('Unknown property "%(name)s".') % {"name": shown}
                text += did_you_mean(name, self._writable, sentence=True)
                yield shown, [ErrorDetail(text, "unknown-property")]
            elif not self._has(field, value):
                yield shown, [ErrorDetail(str(_READ_ONLY), "read-only")]

    def _read_only(self, name: str) -> Any:
        """Return the field of a read-only property, None if there is none."""
        return self.fields.get(name)

    def _has(self, field: Any, value: Any) -> bool:
        """Return whether a read-only property already has a value."""
        row = self._row()
        if row is None:
            return False
        now = field.get_attribute(row)
        if now is None or value is None:
            return now is value
        given = field.to_representation(now)
        if type(value) is type(given) and value == given:
            return True
        try:
            # Another notation of the same number or time.
            return isinstance(field, _SEVERAL_NOTATIONS) and bool(
                field.to_internal_value(value) == now
            )
        except serializers.ValidationError:
            return False

    def _row(self) -> Any:
        """Return the row being changed, None if there is none."""
        return self.instance


def _refuse_doubled(form: Any) -> None:
    """Raise ValidationError for form fields that are sent twice with values."""
    twice = [str(name) for name in form if len(form.getlist(name)) > 1]
    if twice:
        text = ErrorDetail(
            str(_("The form contains this field twice; send it once.")), "invalid"
        )
        raise serializers.ValidationError({printable(name): [text] for name in twice})
