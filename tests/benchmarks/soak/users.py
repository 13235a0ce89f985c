"""The users of a soak: people on pages, and programs that read, write and follow changes.
Each asks, thinks a moment, and asks again."""

from __future__ import annotations

import random
import re
import threading
from datetime import UTC, datetime
from urllib.parse import urlencode

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.benchmarks.soak.requests import Client

_PEOPLE = ("admin", "sales", "warehouse", "bookkeeping")
_DEMO_PASSWORD = "Demo123!"
# How long somebody reads, and how many pages between signing in and out: so many that the
# slow check of a password isn't what the slowest hundredth of the answers is.
_THINK = (0.5, 1.5)
_PAGES_A_DAY = 200
_WORDS = ("bowl", "pan", "knife", "Item number 42", "SO-2026", "there is none")
# The free licence has 1,000 documents in a month, and the demo uses 429 of them.
_DOCUMENTS = 500
_EVERY = 6


class User(threading.Thread):
    """Somebody who works until the soak is over."""

    def __init__(self, servers, journal, number, seconds):
        super().__init__(daemon=True, name=f"{type(self).__name__} {number}")
        self.servers, self.journal, self.seconds = servers, journal, seconds
        self.number = number
        # Everybody does the same in each soak.
        self.random = random.Random(number)
        self.client = Client(servers, journal, number)

    def run(self):
        # They don't all begin at the same moment.
        self.journal.pause(self.number / 4)
        try:
            while not self.journal.over.is_set():
                self.work()
        except Exception as error:
            self.journal.fail(f"{self.name} ended: {error!r}")
            raise
        finally:
            self.client.close()

    def work(self):
        """Do what is done again and again."""
        raise NotImplementedError

    def think(self):
        """Pause between two requests; return whether the soak is over."""
        return self.journal.pause(self.random.uniform(*_THINK))


class Person(User):
    """Somebody on the pages, who signs in for a while."""

    def work(self):
        name = _PEOPLE[self.number % len(_PEOPLE)]
        self._sign_in(name)
        pages = list(self._pages(name))
        for count in range(_PAGES_A_DAY):
            if self.think():
                return
            kind, path = pages[(self.number + count) % len(pages)]
            self.client.ask(kind, "GET", path())
        token = self.client.cookies["csrftoken"]
        self._post("/admin/logout/", 200, csrfmiddlewaretoken=token)
        self.client.cookies.clear()

    def _sign_in(self, name):
        page = self.client.ask("sign-in", "GET", "/admin/login/").text
        self._post(
            "/admin/login/",
            302,
            username=name,
            password=DEFAULT_ADMIN_PASSWORD if name == "admin" else _DEMO_PASSWORD,
            csrfmiddlewaretoken=re.search(r'token" value="([^"]+)', page)[1],
        )

    def _post(self, path, status, **fields):
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode(fields).encode()
        self.client.ask("sign-in", "POST", path, body, expect=(status,), **kind)

    def _pages(self, name):
        """Yield the kind of each page, and how to choose one."""
        choice, servers = self.random.choice, self.servers
        items = servers.keys("catalogs_item", "NOT is_folder")
        orders = servers.keys("documents_salesorder")

        def search():
            return f"/admin/search/?{urlencode({'q': choice(_WORDS)})}"

        yield "start page", lambda: "/admin/"
        last = len(items) // 100 + 1
        yield "list", lambda: f"/admin/catalogs/item/?p={self.random.randint(1, last)}"
        yield "row", lambda: f"/admin/catalogs/item/{choice(items)}/change/"
        yield "search", search
        yield "list", lambda: "/admin/documents/salesorder/"
        yield "row", lambda: f"/admin/documents/salesorder/{choice(orders)}/"
        yield "row", lambda: f"/admin/documents/salesorder/{choice(orders)}/related/"
        yield "report", lambda: "/admin/reports/stock-on-hand"
        yield "list", lambda: "/admin/catalogs/item/?q=number"
        yield "row", lambda: f"/admin/catalogs/item/{choice(items)}/history/"
        yield "report", lambda: "/admin/reports/ledger-balances"
        if name == "admin":
            yield "list", lambda: "/admin/changes/changeevent/"
            yield "list", lambda: "/admin/import"
            yield "list", lambda: "/admin/automation/"


class Program(User):
    """A program that reads rows and reports with a token."""

    def work(self):
        # Without the token that has ended, with which nobody may sign in.
        self.client.headers.pop("Authorization", None)
        body = {"userName": "visitor", "password": _DEMO_PASSWORD}
        token = self.client.call("sign-in", "POST", "Auth/login", body).json["token"]
        self.client.headers["Authorization"] = f"Bearer {token}"
        items = self.servers.keys("catalogs_item", "NOT is_folder")
        last = len(items) // 100 + 1
        paths = [
            lambda: f"Items?pageSize=50&page={self.random.randint(1, last)}",
            lambda: f"Items/{self.random.choice(items)}",
            lambda: "Items?search=number%2042",
            lambda: "SalesOrders?ordering=-date&pageSize=50",
            lambda: "Reports/StockOnHand?warehouseId=1",
            lambda: "StockMovements?pageSize=50",
        ]
        for count in range(_PAGES_A_DAY):
            if self.think():
                return
            self.client.call("API read", "GET", paths[count % len(paths)]())


class Shop(User):
    """A program that enters orders and receipts, each of them twice with the same key,
    and posts them."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.client.headers["X-Api-Key"] = self.servers.key
        self.entered = 0

    def work(self):
        kind = "SalesOrders" if self.entered % 2 == 0 else "GoodsReceipts"
        key = {"Idempotency-Key": f"soak-{self.entered}"}
        data = {
            "date": datetime.now(UTC).isoformat(),
            "counterpartyId": {"$code": "C03" if kind == "SalesOrders" else "S01"},
            "warehouseId": {"$code": "MAIN"},
            "currencyId": {"$code": "EUR"},
            "comment": f"soak {self.entered}",
            "lines": [
                {"itemId": {"$code": code}, "quantity": 2, "price": "1.50"}
                for code in ("10110", "10120")
            ],
        }
        answers = [
            self.client.call("API write", "POST", kind, data, expect=(201,), **key)
            for _again in range(2)
        ]
        first, again = (answer.json for answer in answers)
        if not first or not again or first["id"] != again["id"]:
            self.journal.fail(f"{kind} was entered twice: {first}, {again}")
        else:
            self.entered += 1
            self.client.call("API write", "POST", f"{kind}/{first['id']}/post")
        self.journal.pause(max(_EVERY, self.seconds / _DOCUMENTS))


class Follower(User):
    """A program that follows the changes and misses none."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.client.headers["X-Api-Key"] = self.servers.key
        self.position, self.changes = None, 0

    def work(self):
        if self.position is None:
            self.position = self._read("latest")["next"]
        feed = self._read(self.position)
        ids = [change["id"] for change in feed["results"]]
        if ids != sorted(set(ids)) or (ids and ids[0] <= self.position):
            self.journal.fail(f"Changes after {self.position} are not in order: {ids}")
        self.position, self.changes = feed["next"], self.changes + len(ids)
        self.think()

    def _read(self, after):
        path = f"Changes?after={after}&limit=1000"
        answer = self.client.call("feed", "GET", path)
        return answer.json or {"results": [], "next": after}


def users(servers, journal, count, seconds):
    """Return the users: three programs, and people."""
    kinds = [Program, Shop, Follower, *[Person] * (count - 3)]
    return [
        kind(servers, journal, number, seconds) for number, kind in enumerate(kinds)
    ]
