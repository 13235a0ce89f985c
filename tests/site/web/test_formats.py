"""How pages write moments, in the language of the reader."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import translation
from django.utils.formats import date_format

MOMENT = dt.datetime(2026, 3, 4, 0, 5, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("language", "form", "written"),
    [
        ("en", "DATETIME_FORMAT", "4 Mar 2026, 00:05"),
        ("en", "SHORT_DATETIME_FORMAT", "4 Mar 2026, 00:05"),
        ("en", "DATE_FORMAT", "4 Mar 2026"),
        ("de", "DATETIME_FORMAT", "4. März 2026 00:05"),
        ("ru", "SHORT_DATETIME_FORMAT", "04.03.2026 00:05"),
    ],
)
def test_times_are_written_unambiguously(language, form, written):
    with translation.override(language):
        assert date_format(MOMENT, form) == written
