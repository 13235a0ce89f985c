"""One installation for a whole matrix: rows of every kind, and everybody who asks,
signed in. Each cell is tried in a savepoint of its own, so that no cell sees another."""

from __future__ import annotations

import json
from datetime import timedelta
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from django.apps import apps
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from documents.models import LedgerEntry, StockBalance, StockMovement
from importer.models import ImportRun
from importer.services import create_source
from platform_site.accounts.api_keys import create_api_key, revoke_api_key
from platform_site.accounts.models import ApiKey, Role, User
from platform_site.accounts.roles import save_role
from platform_site.accounts.services import create_user, lock_user, update_user
from platform_site.accounts.tokens import LoginToken
from platform_site.changes.models import ChangeEvent
from platform_site.files.services import store_file
from platform_site.processing.models import ProcessorExecution
from platform_site.records.models import Record
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.services import create_job
from platform_site.webhooks.models import Delivery
from platform_site.webhooks.services import create_webhook
from tests.authorization.identities import IDENTITIES
from tests.catalogs import rows
from tests.documents.rows import World
from tests.site.api.callers import with_token

PASSWORD = "a long pass phrase"


class Scene:
    """Rows of every kind, and callers by the names of their identities."""

    def __init__(self):
        self.world = World()
        self.rows = self._business_rows() | self._other_rows()
        self.users = {name: _account(name, who) for name, who in IDENTITIES.items()}
        self.headers = {n: _headers(u, IDENTITIES[n]) for n, u in self.users.items()}
        self.cookies = {n: _cookies(u, IDENTITIES[n]) for n, u in self.users.items()}
        self.client = Client(raise_request_exception=False)
        self._end()
        self.before = _counts()

    def call(self, name, method, path, body=None, **headers):
        """Send a request to the API as somebody; return (answer, what it left)."""
        content = "" if body is None else json.dumps(body)
        kind = "application/json" if content else ""
        sent = {**self.headers[name], **headers}
        return self._tried(SimpleCookie(), method, path, content, kind, sent)

    def visit(self, name, method, path, form=None):
        """Open a page, or send a form, as somebody; return (answer, what it left)."""
        # A copy, for a page may end the session.
        cookies = SimpleCookie(self.cookies[name].output(header="", sep=";"))
        content = "" if form is None else urlencode(form, doseq=True)
        kind = "" if form is None else "application/x-www-form-urlencoded"
        return self._tried(cookies, method, path, content, kind, {})

    def _tried(self, cookies, method, path, data, kind, headers):
        # One client for all, for each looks for the static files anew.
        self.client.cookies = cookies
        with transaction.atomic():
            answer = self.client.generic(
                method, path, data, content_type=kind, headers=headers
            )
            if answer.streaming:
                list(answer)
            now = {} if method in ("GET", "HEAD") else _counts()
            left = {n: c for n, c in now.items() if self.before[n] != c}
            transaction.set_rollback(True)
        return answer, left

    def _business_rows(self):
        world = self.world
        world.receipt((world.rice, 10, 2))
        world.issue((world.rice, 1, 2))
        world.payment("3")
        spare = {
            "GoodsReceipts": world.receipt((world.rice, 1, 2), post=False),
            "GoodsIssues": world.issue((world.rice, 1, 2), post=False),
            "SalesOrders": world.order((world.rice, 1, 2)),
            "BankReceipts": world.payment("3", post=False),
        }
        for model in apps.get_models():
            if not issubclass(model, Record) or model.catalog_name in spare:
                continue
            values = _MORE.get(model.catalog_name, lambda world: {})(world)
            spare[model.catalog_name] = _row(model, values)
        return {type(row)._meta.label_lower: row for row in spare.values()}

    def _other_rows(self):
        victim = create_user(
            user_name="victim",
            password=PASSWORD,
            roles=["admin"],
            email="hidden@example.org",
        )
        role = save_role(role=Role(name="every"), permissions=Permission.objects.all())
        key = create_api_key(user=victim, name="of the victim")[0]
        job = create_job(
            job=Job(
                name="nightly",
                processor="RecalculateCosts",
                run_as=victim,
                cron="0 2 * * *",
            )
        )
        webhook = create_webhook(
            user=victim,
            values={"url": "https://a.example/", "events": ["record.changed"]},
        )
        begun = {"started_at": timezone.now(), "started_by_name": "victim"}
        upload = SimpleUploadedFile("mine.txt", b"what the victim keeps")
        found = {
            "accounts.user": victim,
            "accounts.role": role,
            "accounts.apikey": key,
            "scheduling.job": job,
            "scheduling.jobexecution": JobExecution.objects.create(
                job=job, processor=job.processor, due_at=timezone.now(), result={}
            ),
            "a requested execution": JobExecution.objects.create(
                processor=job.processor, due_at=timezone.now(), requested_by=victim
            ),
            "processing.processorexecution": ProcessorExecution.objects.create(
                processor="RecalculateCosts",
                input={},
                result={},
                seconds=1,
                user_name="victim",
            ),
            "importer.importrun": ImportRun.objects.create(
                package="theirs", started_by=victim, status="Completed", **begun
            ),
            "importer.tablesource": create_source(
                {
                    "name": "price_list",
                    "target": "Items",
                    "columns": [{"property": "code", "column": "code"}],
                    "key": ["code"],
                }
            ),
            "webhooks.webhook": webhook,
            "webhooks.delivery": Delivery.objects.create(
                webhook=webhook, key="change-1", type="record.changed", body="{}"
            ),
            "changes.changeevent": ChangeEvent.objects.first(),
            "files.storedfile": store_file(upload=upload, user=victim),
        }
        for model in (StockMovement, StockBalance, LedgerEntry):
            found[model._meta.label_lower] = model.objects.first()
        return found

    def _end(self):
        """Let end what is to have ended, now that it was opened."""
        for name, who in IDENTITIES.items():
            user = self.users[name]
            if who.ended == "account":
                user.is_active = False
                update_user(user=user)
            if who.ended == "lock" or who.locked:
                lock_user(user=user)
            if who.ended == "key":
                revoke_api_key(key=ApiKey.objects.get(user=user))
            if who.ended == "expired":
                past = timezone.now() - timedelta(days=1)
                ApiKey.objects.filter(user=user).update(expires_at=past)


_MORE = {
    "Items": lambda w: {
        "isFolder": False,
        "category": "goods",
        "unitOfMeasureId": w.rice.unit_of_measure_id,
    },
    "Accounts": lambda w: {"isFolder": False, "kind": "asset"},
    "BankAccounts": lambda w: {"currencyId": w.eur.pk},
    "Constants": lambda w: {"code": None, "effectiveDate": "2026-01-01", "value": "1"},
}


# What names a row that nothing refers to, by the right to view rows of its kind.
SECRETS = {
    f"{model._meta.app_label}.view_{model._meta.model_name}": f"Hidden {name}"
    for name, model in sorted(
        (model.catalog_name, model)
        for model in apps.get_models()
        if issubclass(model, Record) and model._meta.app_label == "catalogs"
    )
} | {"accounts.view_user": "hidden@example.org"}


def _row(model, values):
    data = {"code": "SPARE", "name": f"Hidden {model.catalog_name}", **values}
    given = {name: value for name, value in data.items() if value is not None}
    return rows.create_record(model=model, data=given, actor=rows.boss())


def _account(name, who):
    if not who.signed_in:
        return None
    short = name.replace(" ", "-")
    roles = [who.role] if who.role else []
    # Services, for there are more of them than the free licence has people.
    flags = {"is_staff": who.staff, "is_superuser": who.superuser, "is_service": True}
    user = create_user(user_name=short, password=PASSWORD, roles=roles, **flags)
    if not who.role and not who.superuser:
        user.user_permissions.set(_permissions(who))
    return user


def _permissions(who):
    found = Permission.objects.select_related("content_type")
    return [p for p in found if who.has(f"{p.content_type.app_label}.{p.codename}")]


def _headers(user, who):
    if user is None:
        return {}
    if who.by_key and who.ended != "token":
        return {"X-Api-Key": create_api_key(user=user, name="test")[1]}
    if who.ended != "token":
        return with_token(user.username, PASSWORD).headers
    token = LoginToken.for_user(user)
    token.set_exp(lifetime=-timedelta(seconds=1))
    return {"Authorization": f"Bearer {token}"}


def _cookies(user, who):
    browser = Client()
    if user is not None and not who.by_key:
        browser.force_login(user)
    return browser.cookies


def _counts():
    """Return how much there is of everything that a request could write: one query."""
    watched = (ChangeEvent, User, Role, ApiKey, Job, JobExecution, ImportRun)
    with connection.cursor() as cursor:
        tables = [connection.ops.quote_name(m._meta.db_table) for m in watched]
        cursor.execute(
            "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
        )
        counts = cursor.fetchone()
    return {m.__name__: n for m, n in zip(watched, counts, strict=True)}
