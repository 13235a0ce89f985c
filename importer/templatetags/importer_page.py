"""Template filters for numbers, times and outcomes."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from importer.models import ImportRun

register = template.Library()
# The statuses, outcomes and severities: wire names, translated only on pages.
_WORDS = {
    "all": gettext_lazy("All"),
    "changes": gettext_lazy("Without unchanged"),
    "Queued": gettext_lazy("Queued"),
    "Running": gettext_lazy("Running"),
    "Completed": gettext_lazy("Completed"),
    "Interrupted": gettext_lazy("Interrupted"),
    "Inserted": gettext_lazy("Inserted"),
    "Unchanged": gettext_lazy("Unchanged"),
    "Updated": gettext_lazy("Updated"),
    "Adopted": gettext_lazy("Adopted"),
    "Restored": gettext_lazy("Restored"),
    "SkippedUserModified": gettext_lazy("Kept (changed by a user)"),
    "SkippedDrift": gettext_lazy("Kept (as the package says)"),
    "SkippedDeleted": gettext_lazy("Kept deleted"),
    "Failed": gettext_lazy("Failed"),
    "Missing": gettext_lazy("Missing"),
    "Deleted": gettext_lazy("Deleted"),
    "Reverted": gettext_lazy("Reverted"),
    "Kept": gettext_lazy("Kept"),
    "Blocked": gettext_lazy("Blocked"),
    "Gone": gettext_lazy("Gone"),
    "kept": gettext_lazy("Kept rows"),
    "Warning": gettext_lazy("Warning"),
    "Info": gettext_lazy("Info"),
}


@register.filter
def number(value: int) -> str:
    """Return a whole number with the separators of the reader's language."""
    return formats.number_format(value, force_grouping=True)


@register.filter
def word(name: str) -> str:
    """Return an outcome, a status or a severity in the reader's language."""
    return str(_WORDS.get(name, name))


@register.filter
def status(run: ImportRun) -> SafeString:
    """Return the status of a run, with a sign if it has errors."""
    sign = ImportRun.Status.FAILED if run.has_errors else run.status
    words = word(run.status)
    if run.has_errors and run.status == ImportRun.Status.COMPLETED:
        words = _("%(status)s with errors") % {"status": words}
    return format_html("<span class='imp-status imp-{}'>{}</span>", sign, words)


@register.filter
def moment(value: datetime | None) -> str | SafeString:
    """Return a time element; the page's script shows it in the reader's zone."""
    if value is None:
        return ""
    local = timezone.localtime(value)
    shown = formats.date_format(local, "DATETIME_FORMAT")
    return format_html("<time datetime='{}'>{}</time>", value.isoformat(), shown)


@register.filter
def bytes_in_words(value: int) -> str:
    """Return a size in bytes as text, such as 12 kB."""
    return filesizeformat(value)
