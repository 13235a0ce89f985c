"""The admin site: Django's own, with a start page by role and with apps in the order of
daily work."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from platform_site.settings.apps import business_labels
from platform_site.site.overview.lists import with_own_filters
from platform_site.site.overview.sign_in_redirect import page_after_sign_in

# After the apps with business rows; others come last, by name.
_ORDER: Final = ("importer", "processing", "scheduling", "changes", "accounts", "demo")
# Before the models they are used with; others in order of registration.
_MODELS: Final = ("Job", "User", "Role")
# Django's pages treat every other method like GET.
_known_methods: Final = require_http_methods(["GET", "HEAD", "POST"])


class PlatformAdminSite(AdminSite):
    """The admin site with notices on its start page."""

    site_title = "Platform"
    site_header = "Platform"
    index_title = _("Overview")
    # There is no other site to view.
    site_url = None
    index_template = "overview/index.html"

    def register(
        self, model_or_iterable: Any, admin_class: Any = None, **options: Any
    ) -> None:
        """Register the pages of a model; its list accepts only its own filters."""
        strict = with_own_filters(admin_class or ModelAdmin)
        super().register(model_or_iterable, strict, **options)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        """Return the view for staff; 405 for methods that browsers don't send."""
        return super().admin_view(_known_methods(view), cacheable)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Sign users in, redirect them to a permitted page, and remember the browser as
        a known device."""
        # Its module needs models that aren't loaded yet when this one is imported.
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
        """Change the user's own password, with a form that counts guesses."""
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
            # The known devices ended with the old password; this browser stays known.
            remember_device(answer, request.user)
        return answer

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the start page according to the user's rights."""
        # Its module needs models that aren't loaded yet when this one is imported.
        from platform_site.site.overview.start_page import (  # noqa: PLC0415 - as said above
            start_page,
        )

        shown = start_page(request.user)
        return super().index(request, {**shown, **(extra_context or {})})

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[Any]:
        """Return the apps with their models, in the order of daily work."""
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
