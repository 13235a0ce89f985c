"""The wire form of a reference to an uploaded file: its GUID."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from importer.targets import UUIDField
from platform_site.files.models import StoredFile
from platform_site.files.services import readable_file


class FileField(UUIDField):
    """A field with the GUID of an uploaded file, or null, as input and the file as
    value.

    It is never required, because it is also checked before the upload (IMP-168); a
    processor isn't executed without a file that is `needed`. `accept` is the filter of
    the file picker. The serializer's context must contain the `user`.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unknown": _("There is no file {id}; upload it first."),
    }

    def __init__(
        self, *, accept: str = "", needed: bool = False, **kwargs: Any
    ) -> None:
        self.accept = accept
        self.needed = needed
        kwargs = {"default": None, "allow_null": True, **kwargs}
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """Return the stored file."""
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        key: uuid.UUID = super().to_internal_value(data)
        file = readable_file(key=key, user=self.context["user"])
        if file is None:
            self.fail("unknown", id=key)
        return file

    def to_representation(self, value: Any) -> str:
        """Return the GUID of a stored file."""
        return str(value.pk if isinstance(value, StoredFile) else value)
