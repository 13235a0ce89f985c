"""The paths of the page of one's own account, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path
from django.views.decorators.http import require_POST

from platform_site.accounts import own_account

_for_staff = admin.site.admin_view

urlpatterns = [
    path("account/", _for_staff(own_account.account_page), name="account"),
    path(
        "account/preference/",
        _for_staff(require_POST(own_account.save_preference)),
        name="account-preference",
    ),
    path(
        "account/keys/<int:pk>/revoke/",
        _for_staff(require_POST(own_account.revoke_key)),
        name="account-revoke-key",
    ),
    path(
        "account/sign-out-elsewhere/",
        _for_staff(require_POST(own_account.sign_out_elsewhere)),
        name="account-sign-out-elsewhere",
    ),
]
