"""The requests and responses of table sources, described for OpenAPI.

What a description may say is checked where it is read; here are only its properties.
"""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiExample, extend_schema_field
from rest_framework import serializers

from importer import sentences
from importer.api.requests import ChoicesSerializer, YesOrNo
from importer.strict import StrictSerializer
from importer.wire_fields import TextField

_TEXT = {"type": "string", "nullable": True}
_NAMES = {"type": "array", "items": {"type": "string"}}


class TableColumnSerializer(serializers.Serializer[Any]):
    """A property and the column that it comes from."""

    property = serializers.CharField(
        help_text="The property; `lines.itemId` is one of the lines of a document."
    )
    column = serializers.CharField(
        required=False,
        help_text="The header. Without it, every row has the value `default`.",
    )
    lookup = serializers.ChoiceField(
        ["code", "path", "indent"],
        required=False,
        help_text="`code` for references; for `parentId` also `path`, with the names "
        "of all folders above the row, and `indent`.",
    )
    values = serializers.DictField(
        required=False,
        help_text='Other texts for texts of cells: `{"Stk": "pcs"}`.',
    )
    default = serializers.JSONField(
        required=False, help_text="The value of empty cells, or of all rows."
    )
    separator = serializers.CharField(
        required=False, help_text="What divides the names of a path (`/`)."
    )


class GivenField(serializers.Field[Any, Any, Any, Any]):
    """A value of a source as it is sent; the source checks it."""

    default_error_messages: ClassVar[dict[str, Any]] = sentences.ANY

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("required", False)
        super().__init__(allow_null=True, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """Return the value."""
        return data

    def to_representation(self, value: Any) -> Any:
        """Return the value."""
        return value


@extend_schema_field(_TEXT)
class GivenText(GivenField):
    """A text, or null."""


@extend_schema_field({"type": "integer", "minimum": 0, "nullable": True})
class GivenLine(GivenField):
    """A line, or null."""


@extend_schema_field(_NAMES)
class GivenNames(GivenField):
    """Names of properties."""


@extend_schema_field(TableColumnSerializer(many=True))
class GivenColumns(GivenField):
    """The columns of a description."""


@extend_schema_field({"type": "boolean"})
class GivenFlag(GivenField):
    """A boolean."""


@extend_schema_field(
    {
        "type": "object",
        "nullable": True,
        "properties": {
            name: {"type": "string"}
            for name in ("url", "folder", "pattern", "user", "processor")
        },
        "additionalProperties": False,
    }
)
class GivenOrigin(GivenField):
    """An address, a folder or a data processor, or null."""


class TableSourceSerializer(StrictSerializer):
    """A saved way to read a table."""

    name = GivenText(
        required=True,
        help_text="1 to 60 letters, digits and _, beginning with a letter. It is also "
        "the name of the package and of the data processor, and never changes.",
    )
    target = GivenText(required=True, help_text="The catalog or kind of document.")
    kind = GivenText(help_text="`dictionary` or `document`, as the target is.")
    format = GivenText(help_text="`csv` or `xlsx`; null if recognised in each file.")
    encoding = GivenText(help_text="Such as `cp1252`; null if recognised.")
    delimiter = GivenText(help_text="One character; null if recognised.")
    decimal = GivenText(help_text="`,` or `.`; null if recognised.")
    dateFormat = GivenText(help_text="Such as `DD.MM.YYYY`; null if recognised.")
    sheet = GivenText(help_text="The name of the sheet; null for the first one.")
    headerRow = GivenLine(
        help_text="The line of the headers, 0 if there are none; null if recognised."
    )
    columns = GivenColumns(
        required=True, help_text="Where the values of properties come from."
    )
    key = GivenNames(help_text="The properties that identify a row.")
    groupBy = GivenNames(
        help_text="For documents: the properties that are equal in all lines of one."
    )
    match = GivenNames(
        help_text="The properties by which existing rows are found and adopted."
    )
    onChange = GivenText(help_text="As in the step of a package; null for its default.")
    onUserModified = GivenText(
        help_text="As in the step of a package; null for its default."
    )
    onMissing = GivenText(
        help_text="As in the step of a package; null for its default."
    )
    origin = GivenOrigin(
        help_text="Where the tables are: `{url}`, `{folder, pattern, user}`, `{processor}`, "
        "or null for uploads."
    )
    enabled = GivenFlag(help_text="Whether tables can be imported through it (true).")


class DetectTableSerializer(StrictSerializer):
    """The request to look at a table."""

    file = serializers.FileField(
        allow_empty_file=False,
        help_text="The table, a CSV or XLSX file.",
        error_messages=sentences.FILE,
    )
    target = TextField(max_length=100, help_text="The catalog or kind of document.")


class DetectedTableSerializer(serializers.Serializer[Any]):
    """How a table is written, and what its columns probably mean."""

    format = serializers.ChoiceField(["csv", "xlsx"])
    encoding = serializers.CharField(allow_null=True)
    delimiter = serializers.CharField(allow_null=True)
    decimal = serializers.CharField()
    dateFormat = serializers.CharField()
    sheet = serializers.CharField(allow_null=True)
    headerRow = serializers.IntegerField(min_value=0)
    headers = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(
        child=serializers.ListField(child=serializers.JSONField()),
        help_text="The first five rows, with a value for each header: of a column "
        "that means a property as a value of it, otherwise as a text.",
    )
    columns = TableColumnSerializer(
        many=True, help_text="A proposal, as a source takes it."
    )
    key = serializers.ListField(child=serializers.CharField())
    groupBy = serializers.ListField(child=serializers.CharField())
    match = serializers.ListField(child=serializers.CharField())
    missing = serializers.ListField(
        child=serializers.CharField(),
        help_text="The properties that every row needs and no column has.",
    )


class TablePackageSerializer(StrictSerializer):
    """The request for the package that a table becomes."""

    file = serializers.FileField(
        allow_empty_file=False,
        help_text="The table, a CSV or XLSX file.",
        error_messages=sentences.FILE,
    )


class RunTableSerializer(ChoicesSerializer):
    """The request to import a table through a source."""

    file = serializers.FileField(
        allow_empty_file=False,
        help_text="The table, a CSV or XLSX file.",
        error_messages=sentences.FILE,
    )
    continueOnError = YesOrNo(
        default=True,
        help_text="Import the other rows if some are wrong, instead of stopping; for "
        "tables that is the default.",
    )


_COLUMNS = [
    {"property": "code", "column": "Artikelnummer"},
    {"property": "name", "column": "Bezeichnung"},
    {
        "property": "unitOfMeasureId",
        "column": "ME",
        "lookup": "code",
        "values": {"Stk": "pcs"},
    },
    {"property": "price", "column": "Preis €"},
    {"property": "isFolder", "default": False},
    {"property": "category", "default": "goods"},
]
_SOURCE: dict[str, Any] = {
    "name": "supplier_17",
    "target": "Items",
    "columns": _COLUMNS,
    "key": ["code"],
    "match": ["code"],
    "decimal": ",",
}
NEW_SOURCE = OpenApiExample("A price list", _SOURCE, request_only=True)
SOURCE = OpenApiExample(
    "A price list",
    {
        "name": "supplier_17",
        "target": "Items",
        "kind": "dictionary",
        "format": None,
        "encoding": None,
        "delimiter": None,
        "decimal": ",",
        "dateFormat": None,
        "sheet": None,
        "headerRow": None,
        "columns": _COLUMNS,
        "key": ["code"],
        "groupBy": [],
        "match": ["code"],
        "onChange": None,
        "onUserModified": None,
        "onMissing": None,
        "origin": None,
        "enabled": True,
    },
    response_only=True,
)
DETECTED = OpenApiExample(
    "A price list",
    {
        "format": "csv",
        "encoding": "cp1252",
        "delimiter": ";",
        "decimal": ",",
        "dateFormat": "DD.MM.YYYY",
        "sheet": None,
        "headerRow": 4,
        "headers": ["Artikelnummer", "Bezeichnung", "ME", "Preis €"],
        "rows": [["4711", "Schlüssel 10 mm", "pcs", "12.5"]],
        "columns": _COLUMNS,
        "key": ["code"],
        "groupBy": [],
        "match": ["code"],
        "missing": [],
    },
    response_only=True,
)
