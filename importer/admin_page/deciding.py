"""Decisions about kept rows on the page of a run."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _, ngettext
from rest_framework.exceptions import ValidationError

from importer import services
from importer.admin_page.forms import ALL, KEPT
from importer.models import ImportRun
from importer.services import ImportOptions, KeptRows

PACKAGE, MINE = "take-package", "take-mine"
DECISIONS = (PACKAGE, MINE)
_MOST = 10_000


class DecisionForm(forms.Form):
    """The rows to decide about: marked ones, or all that the filter leaves."""

    every = forms.BooleanField(required=False)
    # The page can be filtered by any outcome; only kept rows are decided about.
    outcome = forms.CharField(required=False, max_length=50)
    search = forms.CharField(required=False, max_length=200)
    step = forms.CharField(required=False, max_length=200)


def decide(request: HttpRequest) -> UUID:
    """Carry out a posted decision; return the identifier of the run to show next.

    That is the run that writes the package's values, or the run that was decided about.
    Raise ValidationError if no row was marked.
    """
    run_id = services.identifier_of(request.POST.get("run", ""))
    which = _which(request)
    if request.POST.get("action") == PACKAGE:
        options = ImportOptions(started_via=ImportRun.StartedVia.PAGE)
        return services.take_packages_values(run_id, which, options, user=request.user)
    count = services.keep_own_values(run_id, which, user=request.user)
    if not count:
        text = _("Nothing was left to decide: deleted rows stay deleted anyway.")
        messages.info(request, text)
        return run_id
    done = ngettext(
        "1 row stays as it is. Later imports leave it alone until its object changes.",
        "%(count)s rows stay as they are. Later imports leave them alone until their"
        " objects change.",
        count,
    )
    messages.success(request, done % {"count": count})
    return run_id


def _which(request: HttpRequest) -> KeptRows:
    form = DecisionForm(request.POST)
    items = frozenset(request.POST.getlist("item")[:_MOST])
    if not form.is_valid():
        errors = form.errors.values()
        raise ValidationError([str(each) for some in errors for each in some])
    wanted = form.cleaned_data
    if wanted["every"]:
        outcome = "" if wanted["outcome"] in (ALL, KEPT) else wanted["outcome"]
        return KeptRows(
            None, outcome, wanted["search"], wanted["step"], waiting_only=True
        )
    if not items:
        raise ValidationError([_("Mark the rows to decide about first.")])
    return KeptRows(items)
