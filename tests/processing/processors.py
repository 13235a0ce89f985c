"""A data processor to try the wrapper with."""

from __future__ import annotations

from datetime import date

from django.utils import timezone
from rest_framework.exceptions import ValidationError

from platform_site.changes.services import current
from platform_site.files.services import open_file
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.processor import DataProcessor
from platform_site.processing.values import (
    BooleanField,
    DateField,
    FileField,
    IntegerField,
    TextField,
    Values,
)


class CountWords(DataProcessor):
    """Count the words of a text or a file."""

    title = "Count words"
    description = "Counts the words of a text."

    class Input(Values):
        """A text or a file."""

        file = FileField(accept=".txt")
        text = TextField(default="one two", allow_blank=True)
        at_least = IntegerField(default=1)
        from_ = DateField(default=lambda: date(2026, 1, 1))
        breaks = BooleanField(default=False)

    class Result(Values):
        """How many there are."""

        hidden = ("asked_by", "zone")

        words = IntegerField(label="How many")
        message = TextField()
        asked_by = TextField()
        zone = TextField()

    def validate(self, data):
        """Refuse to look for more words than there are."""
        if data["text"] and data["at_least"] > len(data["text"].split()):
            raise ValidationError({"atLeast": "More words than the text has."})

    def execute(self, data, *, user):
        """Count."""
        text = data["text"]
        if data["file"]:
            with open_file(data["file"]) as stream:
                text = stream.read().decode()
        if not text:
            raise InvalidStateError("Nothing to count.")
        acting = current()
        return {
            "words": len(text.split()) // (0 if data["breaks"] else 1),
            "message": "",
            "asked_by": f"{acting.user} by {acting.origin}",
            "zone": str(timezone.get_current_timezone()),
        }
