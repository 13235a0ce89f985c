"""A request with an `Idempotency-Key` is done once, however often it is sent, whatever
happens in between."""

from __future__ import annotations

import io
import threading
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from catalogs.models import UnitOfMeasure
from importer import services as imports
from platform_site.files.models import StoredFile
from platform_site.idempotency import services as idempotency
from platform_site.idempotency.models import KeptAnswer
from platform_site.processing import services as processing
from platform_site.records import services
from tests.catalogs.rows import a_unit
from tests.documents.rows import World
from tests.importer import background
from tests.site.api.callers import BASE, a_user, with_token

PATH = "/UnitsOfMeasure"
BODY = {"code": "kg", "name": "Kilo"}


def units(code="kg"):
    return UnitOfMeasure.objects.filter(code=code).count()


@pytest.mark.django_db
def test_the_same_request_gives_the_first_answer_again(employee):
    first = employee.post(PATH, BODY, Idempotency_Key="a")
    again = employee.post(PATH, {"name": "Kilo", "code": "kg"}, Idempotency_Key="a")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again["ETag"] == first["ETag"]
    assert again["Content-Type"] == first["Content-Type"]
    assert again["Idempotent-Replayed"] == "true"
    assert not first.has_header("Idempotent-Replayed")
    assert units() == 1


@pytest.mark.django_db
def test_a_refusal_is_given_again_too(employee):
    first = employee.post(PATH, {"code": "kg"}, Idempotency_Key="a")
    again = employee.post(PATH, {"code": "kg"}, Idempotency_Key="a")
    assert first.status_code == again.status_code == 400
    assert first.json() == again.json()
    assert again["Idempotent-Replayed"] == "true"


@pytest.mark.django_db
def test_a_key_belongs_to_one_request_of_one_user(employee, admin):
    employee.post(PATH, BODY, Idempotency_Key="a")
    for path, body in ((PATH, {**BODY, "name": "x"}), ("/Warehouses", BODY)):
        answer = employee.post(path, body, Idempotency_Key="a")
        assert answer.status_code == 422
        assert answer.json()["code"] == "idempotency-mismatch"
    other = admin.post(PATH, {**BODY, "code": "t"}, Idempotency_Key="a")
    assert other.status_code == 201


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "x" * 201, "é", "a\tb"])
def test_a_key_that_is_none_is_refused(employee, key):
    answer = employee.post(PATH, BODY, Idempotency_Key=key)
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"Idempotency-Key"}
    assert units() == 0


@pytest.mark.django_db
def test_after_a_day_a_key_is_forgotten(employee):
    employee.post(PATH, BODY, Idempotency_Key="a")
    past = timezone.now() - timedelta(hours=25)
    KeptAnswer.objects.update(asked_at=past)
    answer = employee.post(PATH, BODY, Idempotency_Key="a")
    assert answer.status_code == 400
    assert KeptAnswer.objects.count() == 1


@pytest.mark.django_db
def test_a_failure_between_row_and_answer_leaves_neither(employee, monkeypatch):
    def fail(*args):
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(idempotency, "_keep", fail)
        assert employee.post(PATH, BODY, Idempotency_Key="a").status_code == 500
    assert units() == 0
    assert employee.post(PATH, BODY, Idempotency_Key="a").status_code == 201
    assert units() == 1


@pytest.mark.django_db
def test_a_failure_is_not_kept(employee, monkeypatch):
    def fail(**order):
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(services, "create_record", fail)
        assert employee.post(PATH, BODY, Idempotency_Key="a").status_code == 500
    assert employee.post(PATH, BODY, Idempotency_Key="a").status_code == 201


@pytest.mark.django_db
def test_documents_and_files_are_made_once(employee):
    world = World()
    issue = world.issue((world.rice, 1, 2), post=False)
    path = f"/GoodsIssues/{issue.pk}/create/BankReceipts"
    given = {"overrides": {"bankAccountId": world.bank.pk}}
    ids = {
        employee.post(path, given, Idempotency_Key="a").json()["id"] for _ in range(2)
    }
    assert len(ids) == 1
    uploaded = []
    for _ in range(2):
        file = io.BytesIO(b"content")
        file.name = "a.txt"
        headers = {**employee.headers, "Idempotency-Key": "b"}
        answer = employee.client.post(
            f"{BASE}/Files", {"file": file}, format="multipart", headers=headers
        )
        assert answer.status_code == 201
        uploaded.append(answer.json()["id"])
    assert uploaded[0] == uploaded[1]
    assert StoredFile.objects.count() == 1


@pytest.mark.django_db
def test_a_processor_that_failed_half_way_is_not_executed_again(employee, monkeypatch):
    path, calls = "/Processors/RecalculateCosts", []

    def half(*args, **options):
        calls.append(args)
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr(processing, "execute", half)
        assert employee.post(path, {}, Idempotency_Key="a").status_code == 500
        answer = employee.post(path, {}, Idempotency_Key="a")
    assert (answer.status_code, len(calls)) == (409, 1)
    assert answer.json()["code"] == "request-in-progress"
    assert int(answer["Retry-After"]) > 0
    done = [employee.post(path, {}, Idempotency_Key="b") for _ in range(2)]
    assert [each.status_code for each in done] == [200, 200]
    assert done[1]["Idempotent-Replayed"] == "true"


@pytest.mark.django_db(transaction=True)
def test_an_import_is_started_once_even_after_a_crash(monkeypatch):
    a_user("anna", "admin")
    admin = with_token("anna")
    body = {"package": "demo-company", "dryRun": True}

    def fail(*args):
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(idempotency, "_put", fail)
        answer = admin.post("/Import/run", body, Idempotency_Key="a")
        assert answer.status_code == 500
    background.finish_runs()
    again = [admin.post("/Import/run", body, Idempotency_Key="a") for _ in range(2)]
    assert [each.status_code for each in again] == [202, 202]
    (run_id,) = {each.json()["runId"] for each in again}
    assert again[1]["Location"].endswith(run_id)
    assert imports.get_run(UUID(run_id)) is not None
    background.finish_runs()
    other = admin.post("/Import/run", {**body, "dryRun": False}, Idempotency_Key="a")
    assert other.json()["code"] == "idempotency-mismatch"


@pytest.mark.django_db(transaction=True)
def test_two_at_once_make_one_row(monkeypatch):
    """The second hears that the first is still being answered."""
    a_user("anna", "admin")
    callers = [with_token("anna"), with_token("anna")]
    begun, may_end = threading.Event(), threading.Event()
    create, answers = services.create_record, {}

    def slow(**order):
        begun.set()
        assert may_end.wait(30)
        return create(**order)

    def ask(name, caller):
        try:
            answers[name] = caller.post(PATH, BODY, Idempotency_Key="a")
        finally:
            connections.close_all()

    monkeypatch.setattr(services, "create_record", slow)
    first = threading.Thread(target=ask, args=("first", callers[0]))
    first.start()
    assert begun.wait(30)
    ask("second", callers[1])
    may_end.set()
    first.join()
    assert answers["first"].status_code == 201
    assert answers["second"].status_code == 409
    assert answers["second"].json()["code"] == "request-in-progress"
    ask("third", callers[1])
    assert answers["third"].json() == answers["first"].json()
    assert units() == 1


@pytest.mark.django_db
def test_nothing_is_asked_of_the_database_without_a_key(employee):
    unit = a_unit()
    employee.post(f"{PATH}/{unit.pk}/restore")
    assert KeptAnswer.objects.count() == 0
