"""The administration site of this product: Django's own, with a start page that says what
needs attention and with the apps in the order of a working day."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from platform_site.notices import NoticeSeverity, notices_for
from platform_site.settings.apps import business_labels
from platform_site.site.overview.lists import with_own_filters
from platform_site.site.overview.own_changes import own_changes
from platform_site.site.overview.sign_in_redirect import page_after_sign_in

# After the apps with business rows; those that are not named come last, by their names.
_ORDER: Final = ("importer", "processing", "scheduling", "changes", "accounts", "demo")
# Before the models they are used with; all others as their apps register the pages.
_MODELS: Final = ("Job", "User", "Role")
# Django's pages answer every other method as if it were GET.
_known_methods: Final = require_http_methods(["GET", "HEAD", "POST"])


class PlatformAdminSite(AdminSite):
    """The start page with what needs attention, and the apps below it."""

    site_title = "Platform"
    site_header = "Platform"
    index_title = _("Overview")
    # There is no other site to view.
    site_url = None
    index_template = "overview/index.html"

    def register(
        self, model_or_iterable: Any, admin_class: Any = None, **options: Any
    ) -> None:
        """Give a model its pages; its list is narrowed by its own filters alone."""
        strict = with_own_filters(admin_class or ModelAdmin)
        super().register(model_or_iterable, strict, **options)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        """Return a page for those who work here; 405 for methods no browser sends."""
        return super().admin_view(_known_methods(view), cacheable)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Let people sign in, lead them to a page that is there for them, and know their
        browser from then on.
        """
        # Its module needs models that aren't there yet when this one is imported.
        from platform_site.accounts.sign_in_forms import (  # noqa: PLC0415 - as said above
            SignInForm,
        )

        self.login_form = SignInForm
        from platform_site.accounts.devices import (  # noqa: PLC0415 - as said above
            remember_device,
        )

        answer: HttpResponse = super().login(request, extra_context)
        if request.method == "POST" and answer.status_code == HTTPStatus.FOUND:
            answer.headers["Location"] = page_after_sign_in(
                request, answer.headers["Location"]
            )
            remember_device(answer, request.user)
        return answer

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Let people choose another password, with a form that counts guesses."""
        from django.contrib.auth.views import (  # noqa: PLC0415 - as above
            PasswordChangeView,
        )

        from platform_site.accounts.devices import (  # noqa: PLC0415 - the same
            remember_device,
        )
        from platform_site.accounts.sign_in_forms import (  # noqa: PLC0415 - the same
            OwnPasswordForm,
        )

        view = PasswordChangeView.as_view(
            form_class=OwnPasswordForm,
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )
        request.current_app = self.name
        answer = view(request)
        if request.method == "POST" and answer.status_code == HTTPStatus.FOUND:
            # The old password's devices ended with it; this browser knows the new one.
            remember_device(answer, request.user)
        return answer

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the start page, as far as this person may see it."""
        notices = notices_for(request.user)
        shown = {
            "attention": [n for n in notices if n.severity > NoticeSeverity.QUIET],
            "quiet": [n for n in notices if n.severity == NoticeSeverity.QUIET],
            "own_changes": own_changes(request.user),
        }
        return super().index(request, {**shown, **(extra_context or {})})

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[Any]:
        """Return the apps with their models, in the order of a working day."""
        listed: list[Any] = super().get_app_list(request, app_label)
        registered = list(self._registry)
        for app in listed:
            app["models"].sort(
                key=lambda shown: (
                    _index(_MODELS, shown["object_name"]),
                    registered.index(shown["model"]),
                )
            )
        order = ("documents", *business_labels(), *_ORDER)
        return sorted(listed, key=lambda app: _index(order, app["app_label"]))


def _index(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else len(names)
