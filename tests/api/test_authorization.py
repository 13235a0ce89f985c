"""Who may call what: every path with every method, by everybody. A path without a row
in the table fails."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum

import pytest
from django.urls import get_resolver

from platform_site.accounts.api_keys import revoke_api_key
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.services import lock_user
from platform_site.accounts.tokens import LoginToken
from tests.api.callers import Caller, a_user, with_key, with_token

pytestmark = pytest.mark.django_db

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CATALOGS = (
    "Accounts",
    "BankAccounts",
    "Constants",
    "Counterparties",
    "Currencies",
    "Items",
    "UnitsOfMeasure",
    "Warehouses",
)
DOCUMENTS = ("BankReceipts", "GoodsIssues", "GoodsReceipts", "SalesOrders")


class Level(IntEnum):
    """Order callers by what they may do."""

    NOBODY = 0
    SIGNED_IN = 1
    USER = 2
    EMPLOYEE = 3
    ADMIN = 4


@dataclass(frozen=True)
class May:
    """Say from which level on a call is answered, and how."""

    least: Level
    status: int


def anybody(status):
    return May(Level.NOBODY, status)


def signed_in(status):
    return May(Level.SIGNED_IN, status)


def user(status):
    return May(Level.USER, status)


def employee(status):
    return May(Level.EMPLOYEE, status)


def admin(status):
    return May(Level.ADMIN, status)


# Bodies are empty objects and rows are those that are not there, so nothing is written.
TABLE = {
    "Auth/login": {"POST": anybody(400)},
    "Auth/refresh": {"POST": anybody(400)},
    "Auth/logout": {"POST": anybody(400)},
    "About": {"GET": signed_in(200)},
    "About/license-agreement": {"GET": anybody(200)},
    "Account": {"GET": signed_in(200), "PATCH": signed_in(200)},
    "Account/change-password": {"POST": signed_in(400)},
    "Changes": {"GET": signed_in(200)},
    "Reports/StockOnHand": {"GET": user(200)},
    "Reports/LedgerBalances": {"GET": user(200)},
    "Import/packages": {"GET": admin(200)},
    "Import/schema": {"GET": admin(200)},
    "Import/run": {"POST": admin(400)},
    "Import/runs": {"GET": admin(200)},
    "Import/runs/{}": {"GET": admin(404)},
    "Import/runs/{}/cancel": {"POST": admin(404)},
    "Files": {"POST": signed_in(415)},
    "Files/{}": {"GET": signed_in(404)},
    "Processors": {"GET": signed_in(200)},
    "Processors/ImportItemsFromCsv": {"GET": employee(200), "POST": employee(400)},
    "Processors/ImportPackageFromUrl": {"GET": employee(200), "POST": employee(400)},
    "Processors/RecalculateCosts": {"GET": employee(200), "POST": employee(200)},
    "SalesOrders/{}/create/GoodsIssues": {"POST": employee(404)},
    "GoodsIssues/{}/create/BankReceipts": {"POST": employee(404)},
}
for _name in (*CATALOGS, *DOCUMENTS):
    TABLE[_name] = {"GET": user(200), "POST": employee(400)}
    TABLE[f"{_name}/{{}}"] = {
        "GET": user(404),
        "PUT": employee(400),
        "PATCH": employee(404),
        "DELETE": employee(404),
    }
    TABLE[f"{_name}/{{}}/restore"] = {"POST": employee(404)}
for _name in DOCUMENTS:
    TABLE[f"{_name}/{{}}/post"] = {"POST": employee(404)}
    TABLE[f"{_name}/{{}}/unpost"] = {"POST": employee(404)}

# Paths whose every call is for administrators, also by methods they do not have.
ADMIN_ONLY = "Import/"
# Paths that look at no credentials at all.
OPEN = ("Auth/", "About/license-agreement")


def served():
    """Return every path under the base of the API, as it is written in the site map."""

    def paths(patterns, under=""):
        for pattern in patterns:
            path = f"{under}{pattern.pattern}"
            if hasattr(pattern, "url_patterns"):
                yield from paths(pattern.url_patterns, path)
            elif path.startswith("api/v1/"):
                yield path.removeprefix("api/v1/")

    return sorted(set(paths(get_resolver().url_patterns)))


def row_of(path):
    return re.sub(r"<[^>]+>", "{}", path)


def with_nothing_behind(path):
    """Return a path with the keys of rows and runs that are not there."""
    path = re.sub(r"<int:\w+>", "987654", path)
    return "/" + re.sub(r"<\w+:\w+>", "0b8f4d2e-6a34-4d0c-9c59-6a1f6f2f7f11", path)


def expected(path, method, level):
    row = TABLE[row_of(path)]
    is_open = path.startswith(OPEN)
    if level is Level.NOBODY and not is_open:
        return 401
    if path.startswith(ADMIN_ONLY) and level < Level.ADMIN:
        return 403
    may = row.get(method)
    if may is None:
        return 405
    return may.status if level >= may.least else 403


def no_credentials():
    return Caller()


def expired_token():
    a_user("emma", "admin")
    token = LoginToken.for_user(User.objects.get(username="emma"))
    token.set_exp(lifetime=-timedelta(seconds=1))
    return Caller(Authorization=f"Bearer {token}")


def token_of_a_locked_user():
    a_user("emma", "admin")
    caller = with_token("emma")
    lock_user(user=User.objects.get(username="emma"))
    return caller


def token(*roles):
    def caller():
        a_user("emma", *roles)
        return with_token("emma")

    return caller


def key(*roles):
    def caller():
        a_user("emma", *roles)
        return with_key("emma")

    return caller


def key_of_a_locked_user():
    caller = key("user")()
    lock_user(user=User.objects.get(username="emma"))
    return caller


def revoked_key():
    caller = key("admin")()
    revoke_api_key(key=ApiKey.objects.get())
    return caller


def expired_key():
    caller = key("admin")()
    ApiKey.objects.update(expires_at="2020-01-01T00:00:00Z")
    return caller


CALLERS = {
    "no credentials": (no_credentials, Level.NOBODY),
    "expired token": (expired_token, Level.NOBODY),
    "token of a locked user": (token_of_a_locked_user, Level.NOBODY),
    "revoked key": (revoked_key, Level.NOBODY),
    "expired key": (expired_key, Level.NOBODY),
    "token without a role": (token(), Level.SIGNED_IN),
    "token of a user": (token("user"), Level.USER),
    "token of an employee": (token("employee"), Level.EMPLOYEE),
    "token of an admin": (token("admin"), Level.ADMIN),
    "token of the first admin": (
        lambda: with_token("admin", DEFAULT_ADMIN_PASSWORD),
        Level.ADMIN,
    ),
    "key without a role": (key(), Level.SIGNED_IN),
    "key of a user": (key("user"), Level.USER),
    "key of an employee": (key("employee"), Level.EMPLOYEE),
    "key of an admin": (key("admin"), Level.ADMIN),
    "key of a locked user": (key_of_a_locked_user, Level.USER),
}


def test_the_table_has_every_path_and_no_other():
    """HOST-150."""
    assert {row_of(path) for path in served()} == set(TABLE)


@pytest.mark.parametrize("who", CALLERS)
def test_everybody_may_call_what_the_table_says(who):
    """HOST-095, HOST-133, HOST-147, HOST-150."""
    make, level = CALLERS[who]
    caller = make()
    wrong = {}
    for path in served():
        for method in METHODS:
            body = None if method == "GET" else {}
            answer = caller.call(method, with_nothing_behind(path), body)
            if answer.status_code != expected(path, method, level):
                wrong[method, path] = (answer.status_code, answer.content[:200])
            if answer.status_code == 401:
                assert answer.has_header("WWW-Authenticate")
    assert wrong == {}
