"""A data processor that imports a package from a named web source, for example every
night. Address and token come from the settings, never from an input (IMP-303)."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from typing import Any, BinaryIO, Final, cast

from django.conf import settings
from django.utils.translation import gettext as _, gettext_lazy

from catalogs.constants import ALWAYS, set_value, value_on
from catalogs.processors.results import ImportResult, nothing_done, result_of
from importer.services import ImportOptions, import_package
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.fetch import FetchAnswer, FetchRequest, fetch
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import register
from platform_site.processing.values import BooleanField, TextField, Values
from platform_site.records.errors import Refusal, Stale

_IN_MEMORY: Final = 1 << 23


@register
class ImportPackageFromUrl(DataProcessor):
    """An import of a package from a source named in the settings."""

    title = gettext_lazy("Import a package from the web")
    description = gettext_lazy(
        "Fetches the package of a source from the settings (Import:Sources) and "
        "imports it. Content that has not changed since the last run is skipped."
    )

    class Input(Values):
        """The source, and how to run."""

        source_ = TextField(
            label=gettext_lazy("Source"),
            help_text=gettext_lazy(
                "If there is only one source, you can leave this field empty."
            ),
            default="",
            allow_blank=True,
            max_length=100,
        )
        continue_on_error = BooleanField(
            label=gettext_lazy("Continue on error"),
            help_text=gettext_lazy(
                "Imports the valid objects even if others fail, instead of stopping."
            ),
            default=False,
        )
        dry_run = BooleanField(
            label=gettext_lazy("Dry run"),
            help_text=gettext_lazy("Shows what would happen, and writes nothing."),
            default=False,
        )

    Result = ImportResult
    imports = True

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Fetch and import the package; store the ETag after a run without errors."""
        dry_run = data["dry_run"]
        name, url, token = _source(data["source_"])
        memory = _memory(name, url)
        known = None if dry_run else value_on(memory, ALWAYS)
        options = ImportOptions(
            dry_run=dry_run, continue_on_error=data["continue_on_error"]
        )
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as body:
            stream = cast("BinaryIO", body)
            answer = fetch(_order(url, token, known), into=stream)
            if answer.not_modified:
                return nothing_done(
                    _(
                        "The source hasn't changed since the last run; there is nothing"
                        " to do."
                    )
                )
            stream.seek(0)
            report = import_package(stream, options, user=user)
        result = result_of(report)
        if not dry_run and not report.has_errors:
            result["message"] = _remember(memory, answer, known, user)
        return result


def _source(name: str) -> tuple[str, str, str]:
    """Return name, address and token of a source; raise InvalidStateError (OPEN-78)."""
    sources: dict[str, dict[str, str]] = settings.PLATFORM_IMPORT_SOURCES
    if not name and len(sources) == 1:
        name = next(iter(sources))
    if name.casefold() in sources:
        found = sources[name.casefold()]
        return name.casefold(), found["URL"], found["TOKEN"]
    if not sources:
        message = _(
            "No source is configured; set Import:Sources:<name>:Url (variable "
            "Import__Sources__<name>__Url)."
        )
    else:
        known = ", ".join(sorted(sources))
        message = _("Choose the source to import: %(known)s.") % {"known": known}
        if name:
            there = _("There is no source “%(name)s”.") % {"name": name}
            message = f"{there} {message}"
    raise InvalidStateError(message)


def _order(url: str, token: str, known: str | None) -> FetchRequest:
    headers = {"Accept": "application/json"}
    if known:
        headers["If-None-Match"] = known
    return FetchRequest(
        url,
        headers=headers,
        token=token,
        limit=cast("int", settings.IMPORTER["MAX_PACKAGE_SIZE_BYTES"]),
        too_large=_(
            "Split the package, or ask the operator to increase "
            "Import:MaxPackageSizeBytes."
        ),
        private=settings.PLATFORM_IMPORT_ALLOW_PRIVATE,
    )


def _memory(name: str, url: str) -> str:
    """Return the name of the constant with the ETag, which depends on the address."""
    digest = hashlib.sha256(url.encode()).hexdigest()[:12]
    return f"ImportPackageFromUrl {name} {digest} ETag"


def _remember(memory: str, answer: FetchAnswer, known: str | None, user: Any) -> str:
    """Store the ETag; return why it couldn't be stored, since the import is done."""
    if not answer.etag or answer.etag == known:
        return ""
    try:
        set_value(name=memory, value=answer.etag, actor=user)
    except (Refusal, Stale) as error:
        message = _(
            "The import has finished, but the source's ETag couldn't be stored, so the "
            "next run imports the package again: %(reason)s"
        )
        busy = _("Somebody else has just saved it.")
        return message % {"reason": str(error) or busy}
    return ""
