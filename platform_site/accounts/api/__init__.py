"""The API paths of sign-in, the user's own account, users, roles and API keys, relative
to the base of the API."""

from __future__ import annotations

from django.urls import path

from platform_site.accounts.api.api_keys import ApiKeysView, ApiKeyView, RevokedView
from platform_site.accounts.api.own_account import AccountView, ChangePasswordView
from platform_site.accounts.api.sign_in import (
    LoginView,
    LogoutView,
    RefreshView,
)
from platform_site.accounts.api.users import RolesView, RoleView, UsersView, UserView

urlpatterns = [
    path("Auth/login", LoginView.as_view()),
    path("Auth/refresh", RefreshView.as_view()),
    path("Auth/logout", LogoutView.as_view()),
    path("Account", AccountView.as_view()),
    path("Account/change-password", ChangePasswordView.as_view()),
    path("Users", UsersView.as_view()),
    path("Users/<int:pk>", UserView.as_view()),
    path("Roles", RolesView.as_view()),
    path("Roles/<int:pk>", RoleView.as_view()),
    path("ApiKeys", ApiKeysView.as_view()),
    path("ApiKeys/<int:pk>", ApiKeyView.as_view()),
    path("ApiKeys/<int:pk>/revoke", RevokedView.as_view()),
]
