"""The API paths of sign-in and the user's own account, relative to the base of the
API."""

from __future__ import annotations

from django.urls import path

from platform_site.accounts.api.own_account import AccountView, ChangePasswordView
from platform_site.accounts.api.sign_in import (
    LoginView,
    LogoutView,
    RefreshView,
)

urlpatterns = [
    path("Auth/login", LoginView.as_view()),
    path("Auth/refresh", RefreshView.as_view()),
    path("Auth/logout", LogoutView.as_view()),
    path("Account", AccountView.as_view()),
    path("Account/change-password", ChangePasswordView.as_view()),
]
