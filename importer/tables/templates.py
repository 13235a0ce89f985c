"""Empty tables to fill in: the headers that a target's properties are recognised by."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence

from django.utils.text import capfirst
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter, quote_sheetname
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from importer.csv_files import BYTE_ORDER_MARK, csv_pieces
from importer.package.fields import FieldKind, FieldSpec
from importer.package.translation import gettext as _
from importer.registry import ModelTarget
from importer.tables.description import field_of, folder_flag, property_names
from importer.tables.labels import codes_of, labels_of, present_labels
from importer.tables.mapping import PropertyNames
from importer.tables.reading import XLSX

# So many rows of a template offer values to choose from.
_ROWS = 10_000
_WIDTH, _LONGEST_TITLE = 18, 31
_LISTS = "Lists"
_NO_TITLE = re.compile(r"[\[\]:*?/\\']")
_REQUIRED = " *"


def template(target: ModelTarget, form: str) -> bytes:
    """Return an empty table for a target, as ``csv`` or ``xlsx``.

    In a workbook, cells of references offer the codes of the rows there are, unless
    these are very many. Required columns are marked with an asterisk.
    """
    headers = headers_of(target)
    marked = [
        header + (_REQUIRED if field_of(target.spec, name).required else "")
        for header, name in headers.items()
    ]
    if form == XLSX:
        return _workbook(target, headers, marked)
    return BYTE_ORDER_MARK + b"".join(csv_pieces(marked, []))


def headers_of(target: ModelTarget) -> dict[str, str]:
    """Return the property of each header: what people call it in the present language,
    or its name if that would be recognised as another property."""
    spec = target.spec
    labels = present_labels(target)
    names = PropertyNames(spec, labels_of(target))
    wanted = [name for name in property_names(spec) if name != folder_flag(spec)]
    headers = [labels.get(name, name) for name in wanted]
    recognised = names.proposed(headers)
    plain = [
        header if recognised.get(place) == name and headers.count(header) == 1 else name
        for place, (header, name) in enumerate(zip(headers, wanted, strict=True))
    ]
    return dict(zip(plain, wanted, strict=True))


def _workbook(
    target: ModelTarget, headers: Mapping[str, str], marked: Sequence[str]
) -> bytes:
    book = Workbook()
    sheet, lists = book.active, book.create_sheet(_LISTS)
    assert isinstance(sheet, Worksheet)  # noqa: S101 - a new workbook has a sheet
    lists.sheet_state = "hidden"
    title = capfirst(str(target.model._meta.verbose_name_plural))
    sheet.title = _NO_TITLE.sub(" ", title)[:_LONGEST_TITLE]
    sheet.append(marked)
    sheet.freeze_panes = "A2"
    for place, name in enumerate(headers.values(), 1):
        letter = get_column_letter(place)
        sheet[f"{letter}1"].font = Font(bold=True)
        sheet.column_dimensions[letter].width = _WIDTH
        field = field_of(target.spec, name)
        if field.kind is FieldKind.TEXT:
            _as_text(sheet, letter)
        if values := _values(field):
            _offer(sheet, letter, lists, values)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _as_text(sheet: Worksheet, letter: str) -> None:
    """Let a column keep the zeros at the beginning of codes."""
    sheet.column_dimensions[letter].number_format = "@"


def _values(field: FieldSpec) -> Sequence[str]:
    """Return the values that a property may have, none if they can't be listed."""
    if field.kind is FieldKind.REFERENCE:
        return codes_of(field.to)
    if field.kind is FieldKind.BOOLEAN:
        return (_("yes"), _("no"))
    return field.choices


def _offer(
    sheet: Worksheet, letter: str, lists: Worksheet, values: Sequence[str]
) -> None:
    """Let the cells of a column offer values, which may also be typed."""
    for row, value in enumerate(values, 1):
        lists[f"{letter}{row}"] = value
        lists[f"{letter}{row}"].data_type = "s"
    place = f"{quote_sheetname(_LISTS)}!${letter}$1:${letter}${len(values)}"
    offered = DataValidation("list", formula1=place, allow_blank=True)
    offered.showErrorMessage = False
    sheet.add_data_validation(offered)
    offered.add(f"{letter}2:{letter}{_ROWS}")
