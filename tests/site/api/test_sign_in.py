"""Signing in over HTTP: tokens, what ends them, and whoever guesses passwords."""

from __future__ import annotations

import jwt
import pytest
from django.conf import settings
from django.test import Client

from platform_site.accounts.models import User
from platform_site.accounts.services import (
    lock_user,
    set_password,
    unlock_user,
    update_user,
)
from tests.site.api.callers import (
    PASSWORD,
    Caller,
    a_user,
    refreshed,
    sign_in,
    with_key,
    with_token,
)

pytestmark = pytest.mark.django_db


def test_a_signed_in_user_calls_the_api_with_the_token():
    a_user("emma", "employee")
    answer = sign_in("emma")
    assert answer.status_code == 200
    assert set(answer.json()) == {
        "token",
        "refreshToken",
        "expires",
        "refreshExpires",
    }
    caller = Caller(Authorization=f"Bearer {answer.json()['token']}")
    assert caller.get("/Account").json()["userName"] == "emma"


def test_a_token_says_who_it_is_for_and_who_signed_it():
    """HOST-140."""
    user = a_user("emma", "employee")
    token = sign_in("emma").json()["token"]
    claims = jwt.decode(
        token,
        str(settings.SIMPLE_JWT["SIGNING_KEY"]),
        algorithms=["HS256"],
        issuer="platform",
        audience="platform",
    )
    assert claims["sub"] == str(user.pk)
    assert (claims["name"], claims["roles"]) == ("emma", ["employee"])
    assert claims["exp"] - claims["iat"] == 24 * 3600
    assert claims["jti"]


def test_a_foreign_token_of_ours_in_form_opens_nothing():
    """HOST-043."""
    key = str(settings.SIMPLE_JWT["SIGNING_KEY"])
    base = {"iss": "platform", "aud": "platform", "exp": 4e9, "iat": 1, "jti": "x"}
    for wrong in (
        {"sub": "1", "iss": "else"},
        {"sub": "1", "aud": "else"},
        {"sub": ["1"]},
        {"sub": "not a number"},
        {"sub": "9" * 30},
        {"sub": "1", "exp": 1},
    ):
        token = jwt.encode({**base, **wrong}, key, algorithm="HS256")
        caller = Caller(Authorization=f"Bearer {token}")
        assert caller.get("/Account").status_code == 401, wrong


def test_unknown_wrong_and_locked_hear_the_same():
    """OPEN-113."""
    a_user("emma")
    a_user("luke")
    lock_user(user=User.objects.get(username="luke"))
    answers = [
        sign_in("nobody"),
        sign_in("emma", "wrong"),
        sign_in("luke"),
        sign_in("jobs-scheduler"),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1
    assert answers[0]["WWW-Authenticate"].startswith("Bearer")


def test_a_login_token_refreshes_nothing_and_a_refresh_token_opens_nothing():
    a_user("emma")
    tokens = sign_in("emma").json()
    assert refreshed(tokens["token"]).status_code == 401
    caller = Caller(Authorization=f"Bearer {tokens['refreshToken']}")
    assert caller.get("/Account").status_code == 401


def another_password(user):
    set_password(user=user, password="another pass phrase")


def locked(user):
    lock_user(user=user)


def locked_and_unlocked(user):
    lock_user(user=user)
    unlock_user(user=user)


def deactivated(user):
    user.is_active = False
    update_user(user=user)


@pytest.mark.parametrize(
    "end", [another_password, locked, locked_and_unlocked, deactivated]
)
def test_tokens_end_at_once(end):
    """OPEN-112."""
    user = a_user("emma")
    tokens = sign_in("emma").json()
    caller = Caller(Authorization=f"Bearer {tokens['token']}")
    assert caller.get("/Account").status_code == 200
    end(user)
    assert caller.get("/Account").status_code == 401
    assert refreshed(tokens["refreshToken"]).status_code == 401


def test_a_changed_password_ends_the_token_it_was_changed_with():
    a_user("emma")
    caller = with_token("emma")
    body = {"oldPassword": "wrong", "newPassword": "another pass phrase"}
    refused = caller.post("/Account/change-password", body)
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {"oldPassword"}
    weak = caller.post(
        "/Account/change-password", {"oldPassword": PASSWORD, "newPassword": "123"}
    )
    assert set(weak.json()["errors"]) == {"newPassword"}
    done = caller.post("/Account/change-password", {**body, "oldPassword": PASSWORD})
    assert done.status_code == 204
    assert caller.get("/Account").status_code == 401
    assert sign_in("emma", "another pass phrase").status_code == 200


def test_old_passwords_cannot_be_guessed_at_length():
    a_user("emma")
    caller = with_token("emma")
    body = {"oldPassword": "wrong", "newPassword": "another pass phrase"}
    codes = [
        caller.post("/Account/change-password", body).status_code for _ in range(6)
    ]
    assert codes == [400] * 5 + [429]


def test_a_user_changes_what_is_personal_and_nothing_else():
    a_user("emma", "user")
    caller = with_token("emma")
    values = {"timeZone": "Europe/Berlin", "firstName": "E", "roles": ["admin"]}
    assert set(caller.patch("/Account", values).json()["errors"]) == {"roles"}
    answer = caller.patch("/Account", {**values, "roles": ["user"]})
    assert answer.status_code == 200
    assert answer.json()["timeZone"] == "Europe/Berlin"
    assert answer.json()["roles"] == ["user"]
    assert caller.patch("/Account", {"timeZone": "Mars"}).status_code == 400


def test_the_admin_cookie_needs_the_form_token_to_write(client):
    """OPEN-60."""
    user = a_user("emma", "employee")
    unprotected = Caller()
    unprotected.client.force_login(user)
    assert unprotected.get("/Account").status_code == 200
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    answer = browser.patch("/api/v1/Account", "{}", content_type="application/json")
    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"


def test_a_locked_account_still_works_by_its_key_and_a_disabled_one_does_not():
    """IMP-308."""
    user = a_user("emma", "user")
    caller = with_key("emma")
    lock_user(user=user)
    assert caller.get("/Account").status_code == 200
    assert caller.get("/Items").status_code == 200
    user.is_active = False
    update_user(user=user)
    assert caller.get("/Account").status_code == 401
