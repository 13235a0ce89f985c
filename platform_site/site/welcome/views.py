"""The pages of the wizard, one per step: each shows its step and records the
decision."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from demo.seeding import get_installation
from demo.users import demo_users
from importer.services import running_run
from licensing.services import agreement_text
from platform_site.accounts.built_in import ADMIN_ACCOUNT, opens_pages
from platform_site.accounts.models import User
from platform_site.site.welcome import services
from platform_site.site.welcome.access import (
    administrators_only,
    at_step,
    to_current_step,
)
from platform_site.site.welcome.demo_loading import loading_of
from platform_site.site.welcome.forms import FirstPasswordForm
from platform_site.site.welcome.models import Welcome
from platform_site.site.welcome.steps import WizardStep, current_step

# Stored in the session: until the next sign-in the start page has no wizard.
LATER = "welcome_later"
_step_page = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@administrators_only
def welcome(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the next step, or to the start page after the end."""
    if current_step() is WizardStep.READY:
        return redirect("admin:index")
    return to_current_step()


@_step_page
@at_step(WizardStep.AGREEMENT)
def agreement(request: HttpRequest) -> HttpResponseBase:
    """Show the licence agreement, and record that it was accepted."""
    if request.method == "POST":
        digest = request.POST.get("digest", "")
        if not services.accept_agreement(user=request.user, digest=digest):
            sentence = _(
                "The licence agreement has changed in the meantime. Read the new text, "
                "then accept it."
            )
            messages.warning(request, sentence)
        return to_current_step()
    paragraphs = re.split(r"\n\s*\n", agreement_text().strip())
    context = {"agreement": paragraphs, "digest": services.agreement_digest()}
    return _page(request, WizardStep.AGREEMENT, context)


@sensitive_post_parameters()
@_step_page
@at_step(WizardStep.PASSWORD)
def password(request: HttpRequest) -> HttpResponseBase:
    """Set a new password; the user stays signed in as `admin`."""
    form = FirstPasswordForm(
        User.objects.get(username=ADMIN_ACCOUNT), request.POST or None
    )
    if request.method != "POST" or not form.is_valid():
        return _page(
            request, WizardStep.PASSWORD, {"form": form, "account": ADMIN_ACCOUNT}
        )
    changed = services.choose_password(password=form.cleaned_data["new_password1"])
    if changed is not None and changed.pk == request.user.pk:
        update_session_auth_hash(request, changed)
    return to_current_step()


@_step_page
@at_step(WizardStep.COMPANY)
def company(request: HttpRequest) -> HttpResponseBase:
    """Ask for the initial data, and show the progress of loading."""
    if services.finish_if_loaded():
        return to_current_step()
    if request.method == "POST":
        if request.POST.get("company") == Welcome.Company.DEMO:
            services.choose_demo_company()
        elif request.POST.get("company") == Welcome.Company.EMPTY:
            services.choose_empty_company()
        return to_current_step()
    context = {
        "loading": loading_of(Welcome.objects.get()),
        "other": running_run(),
        "people": [user.user_name for user in demo_users()],
    }
    return _page(request, WizardStep.COMPANY, context)


@require_safe
@administrators_only
def progress(request: HttpRequest) -> HttpResponseBase:
    """Return the progress of the demo company; the page is reloaded when it has
    ended."""
    row = Welcome.objects.first()
    loading = None if row is None or row.finished_at else loading_of(row)
    if loading is None or not loading.is_running:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return TemplateResponse(request, "welcome/_progress.html", {"loading": loading})


@require_safe
@at_step(WizardStep.READY)
def ready(request: HttpRequest) -> HttpResponseBase:
    """Show where to continue."""
    demo = get_installation()
    people = [
        (user, opens_pages(user.roles)) for user in (demo_users() if demo else [])
    ]
    context = {"demo": demo, "people": people}
    return _page(request, WizardStep.READY, context)


@require_POST
@administrators_only
def later(request: HttpRequest) -> HttpResponseBase:
    """Show the start page without the wizard until the next sign-in."""
    request.session[LATER] = True
    return redirect("admin:index")


def _page(
    request: HttpRequest, step: WizardStep, context: dict[str, Any]
) -> TemplateResponse:
    surroundings = {
        **admin.site.each_context(request),
        # Without other links: the question should be answered or postponed.
        "menu": (),
        "title": _("Welcome to Platform"),
        "steps": [
            (WizardStep.AGREEMENT, _("Licence agreement")),
            (WizardStep.PASSWORD, _("Your password")),
            (WizardStep.COMPANY, _("Your company")),
            (WizardStep.READY, _("Where to go next")),
        ],
        "step": step,
    }
    return TemplateResponse(
        request, f"welcome/{step}.html", {**surroundings, **context}
    )
