"""The admin site: Django's own, with a start page by role and a menu of work areas."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from platform_site.site.overview.lists import with_own_filters
from platform_site.site.overview.menu import menu_of
from platform_site.site.overview.sign_in_redirect import page_after_sign_in

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
    # Ours is in the header block, and needs neither its script nor its styles.
    enable_nav_sidebar = False

    def register(
        self, model_or_iterable: Any, admin_class: Any = None, **options: Any
    ) -> None:
        """Register the pages of a model; its list accepts only its own filters."""
        strict = with_own_filters(admin_class or ModelAdmin)
        super().register(model_or_iterable, strict, **options)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return what every page needs, with the menu."""
        context: dict[str, Any] = super().each_context(request)
        return {**context, "menu": menu_of(request, context["available_apps"])}

    def app_index(
        self,
        request: HttpRequest,
        app_label: str,
        extra_context: dict[str, Any] | None = None,
    ) -> TemplateResponse:
        """Show the lists of an app, under its name."""
        title = {"title": apps.get_app_config(app_label).verbose_name}
        return super().app_index(request, app_label, {**title, **(extra_context or {})})

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
