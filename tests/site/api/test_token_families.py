"""What came from one sign-in ends together: by signing out, or when a refresh token is
used twice. No clock that is wrong for a while shuts anybody out."""

from __future__ import annotations

import datetime
from unittest import mock

import jwt
import pytest
from django.conf import settings
from django.utils import timezone

from platform_site.accounts.models import EndedTokenFamily, User
from platform_site.accounts.services import set_password
from platform_site.accounts.tokens import LoginToken, RefreshToken
from tests.site.api.callers import Caller, a_user, refreshed, sign_in, with_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def emma():
    return a_user("emma", "employee")


@pytest.fixture
def tokens(emma):
    return sign_in("emma").json()


def opens(tokens):
    caller = Caller(Authorization=f"Bearer {tokens['token']}")
    return caller.get("/Account").status_code == 200


def signed_out(token):
    return Caller().post("/Auth/logout", {"refreshToken": token})


def test_a_refresh_token_is_good_once(tokens):
    """HOST-147, OPEN-112."""
    second = refreshed(tokens["refreshToken"])
    assert second.status_code == 200
    assert refreshed(second.json()["refreshToken"]).status_code == 200


def test_one_that_is_used_twice_ends_all_that_came_from_its_sign_in(tokens, emma):
    other = sign_in("emma").json()
    second = refreshed(tokens["refreshToken"]).json()
    third = refreshed(second["refreshToken"]).json()
    assert opens(third)
    assert refreshed(tokens["refreshToken"]).status_code == 401
    assert not any(opens(each) for each in (tokens, second, third))
    assert refreshed(third["refreshToken"]).status_code == 401
    # Whoever signed in elsewhere has nothing to do with it.
    assert opens(other)
    assert refreshed(other["refreshToken"]).status_code == 200


def test_a_second_use_is_written_in_the_trail_with_the_name(tokens, caplog):
    refreshed(tokens["refreshToken"])
    caplog.clear()
    with caplog.at_level("INFO", "platform.security"):
        refreshed(tokens["refreshToken"])
    (line,) = [r.getMessage() for r in caplog.records if r.name == "platform.security"]
    assert 'result="failed"' in line
    assert 'user="emma"' in line
    assert 'via="refresh"' in line


def test_signing_out_ends_the_tokens_of_this_sign_in_alone(tokens):
    other = sign_in("emma").json()
    newest = refreshed(tokens["refreshToken"]).json()
    answer = signed_out(newest["refreshToken"])
    assert (answer.status_code, answer.content) == (204, b"")
    assert not opens(tokens)
    assert not opens(newest)
    assert refreshed(newest["refreshToken"]).status_code == 401
    assert opens(other)


def test_signing_out_with_an_invalid_token_reveals_nothing(tokens):
    signed_out(tokens["refreshToken"])
    before = EndedTokenFamily.objects.count()
    for token in (tokens["refreshToken"], tokens["token"], "nonsense", "a.b.c"):
        answer = signed_out(token)
        assert (answer.status_code, answer.content) == (204, b"")
    assert EndedTokenFamily.objects.count() == before


def test_signing_out_is_written_in_the_trail_once(tokens, caplog):
    with caplog.at_level("INFO", "platform.security"):
        for _ in range(2):
            signed_out(tokens["refreshToken"])
    lines = [r.getMessage() for r in caplog.records if "sign-out" in r.getMessage()]
    assert ['user="emma"' in line for line in lines] == [True]


def test_signing_out_takes_nothing_but_a_refresh_token(tokens):
    assert Caller().post("/Auth/logout", {}).status_code == 400
    more = {"refreshToken": tokens["refreshToken"], "everywhere": True}
    assert set(Caller().post("/Auth/logout", more).json()["errors"]) == {"everywhere"}
    assert opens(tokens)


def as_signed_by_the_version_before(kind, user, **claims):
    """Return a token without a family and without a stamp."""
    token = kind.for_user(user)
    token["name"] = user.username
    token["issuedAtMicroseconds"] = int(timezone.now().timestamp() * 1_000_000)
    for name, value in claims.items():
        token[name] = value
    return str(token)


def test_tokens_of_the_version_before_stay_good(emma):
    login = as_signed_by_the_version_before(LoginToken, emma)
    refresh = as_signed_by_the_version_before(RefreshToken, emma)
    assert opens({"token": login})
    newest = refreshed(refresh).json()
    assert opens(newest)
    # They begin a family, which a second use ends.
    assert refreshed(refresh).status_code == 401
    assert not opens(newest)
    assert refreshed(newest["refreshToken"]).status_code == 401


def test_tokens_of_the_version_before_end_like_others(emma):
    login = as_signed_by_the_version_before(LoginToken, emma)
    refresh = as_signed_by_the_version_before(RefreshToken, emma)
    set_password(user=emma, password="quite another phrase")
    assert not opens({"token": login})
    assert refreshed(refresh).status_code == 401
    other = as_signed_by_the_version_before(RefreshToken, emma)
    signed_out(other)
    assert refreshed(other).status_code == 401


@pytest.mark.parametrize(
    "claims", [{"family": 7}, {"family": ""}, {"family": "x" * 65}, {"jti": "x" * 65}]
)
def test_a_token_with_an_impossible_family_or_id_is_refused(emma, claims):
    token = as_signed_by_the_version_before(RefreshToken, emma, **claims)
    assert refreshed(token).status_code == 401
    assert signed_out(token).status_code == 204
    assert not EndedTokenFamily.objects.exists()


def ahead(**span):
    """Let every clock be wrong inside, that of the tokens too."""
    now = timezone.now
    moved = datetime.timedelta(**span)

    def wrong():
        return now() + moved

    return mock.patch.multiple("django.utils.timezone", now=wrong), mock.patch(
        "rest_framework_simplejwt.tokens.aware_utcnow", wrong
    )


@pytest.mark.parametrize("days", [365, -365])
def test_a_password_changed_by_a_wrong_clock_shuts_nobody_out(emma, days):
    of_django, of_tokens = ahead(days=days)
    with of_django, of_tokens:
        set_password(user=emma, password="quite another phrase")
    tokens = sign_in("emma", "quite another phrase").json()
    assert opens(tokens)
    assert refreshed(tokens["refreshToken"]).status_code == 200


def test_a_token_from_a_clock_that_was_ahead_waits_and_a_new_one_is_good(emma):
    of_django, of_tokens = ahead(days=2)
    with of_django, of_tokens:
        early = str(RefreshToken.for_user(emma))
    assert refreshed(early).status_code == 401
    assert opens(sign_in("emma").json())


def test_two_quick_changes_each_end_earlier_tokens(emma):
    moment = timezone.now()
    with mock.patch("django.utils.timezone.now", return_value=moment):
        first = sign_in("emma").json()
        set_password(user=emma, password="quite another phrase")
        second = sign_in("emma", "quite another phrase").json()
        set_password(user=emma, password="and yet another one")
        third = sign_in("emma", "and yet another one").json()
    assert [opens(each) for each in (first, second, third)] == [False, False, True]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
def test_the_scheme_may_be_in_any_letter_case(tokens, scheme):
    caller = Caller(Authorization=f"{scheme}  {tokens['token']}")
    assert caller.get("/Account").status_code == 200


@pytest.mark.parametrize(
    "header",
    ["", " ", "Bearer", "bearer ", "Bearer {0} {0}", "Bearer {0},Bearer {0}"],
)
def test_a_header_that_is_none_or_two_is_refused_with_a_sentence(tokens, header):
    caller = Caller(Authorization=header.format(tokens["token"]))
    answer = caller.get("/Account")
    assert answer.status_code == 401
    assert "Authorization" in answer.json()["detail"]
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_another_scheme_leaves_an_api_key_to_speak(emma):
    caller = with_key("emma")
    basic = {"Authorization": "Basic dXNlcjpwYXNz"}
    assert caller.get("/Account", **basic).status_code == 200
    assert Caller().get("/Account", **basic).status_code == 401


@pytest.mark.parametrize("text", ["", "pk_", "two,keys"])
def test_a_wrong_api_key_is_refused_and_leaves_a_line(text, caplog):
    with caplog.at_level("INFO", "platform.security"):
        answer = Caller(**{"X-Api-Key": text}).get("/Account")
    assert answer.status_code == 401
    assert "API key" in answer.json()["detail"]
    lines = [r.getMessage() for r in caplog.records if r.name == "platform.security"]
    assert ['via="API key"' in line for line in lines] == [True]


def test_the_claims_that_others_read_are_still_there(tokens, emma):
    claims = jwt.decode(
        tokens["refreshToken"],
        str(settings.SIMPLE_JWT["SIGNING_KEY"]),
        algorithms=["HS256"],
        audience="platform",
    )
    assert claims["sub"] == str(User.objects.get(username="emma").pk)
    assert claims["exp"] - claims["iat"] == 14 * 24 * 3600
