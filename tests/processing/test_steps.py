"""Packages that execute data processors: once, and again only when told to."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogs.processors.import_items_from_csv import ImportItemsFromCsv
from importer import registry as importing
from importer.models import ImportRun
from importer.services import ImportOptions, import_package
from platform_site.changes.models import ChangeEvent
from platform_site.files.services import store_file
from platform_site.processing import registry, services
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.importing import ProcessorTarget
from platform_site.processing.models import ProcessorExecution
from tests.builders import a_package, messages, outcomes, ref, stream
from tests.catalogs.rows import boss
from tests.documents.rows import World
from tests.processing.processors import CountWords
from tests.processing.users import a_person, somebody_who_may

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """Let packages know one processor more."""
    targets = {**importing.targets(), "CountWords": ProcessorTarget(CountWords)}
    monkeypatch.setattr(importing, "_targets", targets)
    monkeypatch.setattr(importing, "_made", {})
    with registry.registered(CountWords):
        yield


def run(package, *, user=None, **options):
    return import_package(
        stream(package), ImportOptions(**options), user=user or boss()
    )


def counting(processor="CountWords", *, keys=None, **given):
    return (
        a_package("corpus.counts")
        .executions(processor, **(keys or {}))
        .item("count:1", **given)
    )


def test_an_execution_happens_once_and_is_remembered():
    """OPEN-07."""
    report = run(counting(text="a b c"))
    assert outcomes(report) == {"count:1": "Inserted"}
    execution = ProcessorExecution.objects.get()
    assert execution.processor == "CountWords"
    assert execution.result["words"] == 3
    assert execution.input["from"] == "2026-01-01"
    assert execution.import_key == "count:1"
    assert outcomes(run(counting(text="a b c"))) == {"count:1": "Unchanged"}
    assert ProcessorExecution.objects.get().executed_at == execution.executed_at


def test_what_a_processor_writes_names_the_user_and_the_import():
    user = somebody_who_may(CountWords)
    run(counting(), user=user)
    asked_by = ProcessorExecution.objects.get().result["askedBy"]
    assert asked_by == f"{user} by Import"


def test_a_changed_input_is_drift_unless_it_shall_be_done_again():
    run(counting(text="a"))
    assert outcomes(run(counting(text="a b"))) == {"count:1": "SkippedDrift"}
    again = counting(text="a b", keys={"onChange": "update"})
    report = run(again)
    assert outcomes(report) == {"count:1": "Updated"}
    (entry,) = report.items
    assert entry.changes == {"text": ["a", "a b"]}
    assert ProcessorExecution.objects.get().result["words"] == 2
    assert outcomes(run(again)) == {"count:1": "Unchanged"}


def test_a_dry_run_checks_and_executes_nothing():
    assert outcomes(run(counting(), dry_run=True)) == {"count:1": "Inserted"}
    assert not ProcessorExecution.objects.exists()
    failing = run(counting(text="none", atLeast=9), dry_run=True)
    assert "More words" in messages(failing)["count:1"]


@pytest.mark.parametrize("dry_run", [True, False])
def test_without_the_right_it_fails(dry_run):
    report = run(counting(), user=a_person(), dry_run=dry_run)
    assert "the right ExecuteCountWords" in messages(report)["count:1"]


def test_what_the_processor_refuses_fails_and_is_tried_again_next_time():
    report = run(counting(text=""))
    assert messages(report) == {"count:1": "steps[0].items[0]: Nothing to count."}
    assert not ProcessorExecution.objects.exists()
    broken = run(counting(breaks=True))
    assert "failed unexpectedly" in messages(broken)["count:1"]
    assert outcomes(run(counting(text="a"))) == {"count:1": "Inserted"}


def a_file(user, text):
    upload = SimpleUploadedFile("items.csv", text, "text/csv")
    return str(store_file(upload=upload, user=user).pk)


@pytest.mark.parametrize("with_file", [True, False])
@pytest.mark.parametrize("name", ["ImportItemsFromCsv", "ImportPackageFromUrl"])
def test_a_processor_that_imports_is_refused_in_a_package_and_its_dry_run(
    name, with_file
):
    """Only one import runs at a time (IMP-016), and a dry run foretells it."""
    user, given = boss(), {}
    if with_file and name == "ImportItemsFromCsv":
        given = {"fileId": a_file(user, b"code;name;unit;parent\nA1;Rice;pcs;\n")}
    package = counting(name, **given)
    planned = run(package, user=user, dry_run=True)
    done = run(package, user=user)
    message = messages(done)["count:1"]
    assert name in message
    assert (
        "a package can't execute it. Execute it on its page, through the API or as a job."
        in message
    )
    assert messages(planned) == messages(done)
    assert ImportRun.objects.real().count() == 1


def test_a_processor_whose_author_forgot_to_say_that_it_imports_is_busy(monkeypatch):
    monkeypatch.setattr(ImportItemsFromCsv, "imports", False)
    user = boss()
    file = a_file(user, b"code;name;unit;parent\nA1;Rice;pcs;\n")
    report = run(counting("ImportItemsFromCsv", fileId=file), user=user)
    assert "Only one runs at a time" in messages(report)["count:1"]


def test_a_processor_without_the_file_it_needs_fails_in_the_dry_run_too(monkeypatch):
    """Its validation passes without one (IMP-168); the execution does not (IMP-169)."""
    monkeypatch.setattr(ImportItemsFromCsv, "imports", False)
    package = counting("ImportItemsFromCsv")
    planned, done = run(package, dry_run=True), run(package)
    assert messages(done) == {"count:1": "steps[0].items[0]: No file chosen."}
    assert messages(planned) == messages(done)


def test_a_job_without_the_file_its_processor_needs_says_the_same():
    with pytest.raises(InvalidStateError, match=r"^No file chosen\.$"):
        services.execute("ImportItemsFromCsv", user=boss())
    ready = services.prepare("ImportItemsFromCsv", {}, user=boss())
    assert ready.values["file"] is None


def test_documents_of_the_package_are_there_when_it_is_executed():
    world = World()
    world.receipt((world.rice, 10, "1"), on=2)
    world.issue((world.rice, 5, "9"), on=5)
    package = (
        a_package("corpus.late")
        .documents("GoodsReceipts", submit=True)
        .item(
            "late",
            date="2026-03-01T12:00:00Z",
            counterpartyId={"$code": "P"},
            warehouseId={"$code": "MAIN"},
            currencyId={"$code": "EUR"},
            lines=[{"itemId": {"$code": "RICE"}, "quantity": 10, "price": 4}],
        )
        .executions("RecalculateCosts")
        .item("costs", **{"from": "2026-03-01", "to": "2026-03-31"})
    )
    report = run(package)
    assert outcomes(report) == {"late": "Inserted", "costs": "Inserted"}
    assert ProcessorExecution.objects.get().result == {"issues": 1, "changed": 1}
    events = ChangeEvent.objects.count()
    assert set(outcomes(run(package)).values()) == {"Unchanged"}
    assert ChangeEvent.objects.count() == events


def test_two_processors_may_use_the_same_name_for_an_object():
    run(counting(text="a"))
    other = a_package("corpus.counts").executions("RecalculateCosts").item("count:1")
    assert outcomes(run(other)) == {"count:1": "Inserted"}
    assert outcomes(run(counting(text="a"))) == {"count:1": "Unchanged"}


@pytest.mark.parametrize(
    ("package", "path"),
    [
        (counting("Nothing"), "steps[0].dataProcessor"),
        (counting("Items"), "steps[0].dataProcessor"),
        (a_package("p").with_step("CountWords"), "steps[0].dictionary"),
        (counting(keys={"match": ["text"]}), "steps[0].match"),
        (counting(keys={"submit": True}), "steps[0].submit"),
        (counting(keys={"onDeleted": "skip"}), "steps[0].onDeleted"),
        (counting(keys={"execute": "often"}), "steps[0].execute"),
        (counting(keys={"execute": None}), "steps[0].execute"),
        (
            counting(keys={"execute": "always", "onChange": "skip"}),
            "steps[0].onChange",
        ),
        (
            a_package("p").with_step("Items", execute="once"),
            "steps[0].execute",
        ),
        (counting(txt="a"), "steps[0].items[0].txt"),
        (counting(atLeast="1"), "steps[0].items[0].atLeast"),
        (counting(text="$tomorrow"), "steps[0].items[0].text"),
        (counting(text=ref("x")), "steps[0].items[0].text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_step_is_said_at_its_path(package, path):
    report = run(package)
    assert [d.path for d in report.diagnostics if d.severity == "Error"] == [path]
    assert not ProcessorExecution.objects.exists()


def warnings(report):
    return [(d.path, d.message) for d in report.diagnostics if d.severity == "Warning"]


def test_what_a_step_wants_always_is_executed_in_every_run():
    package = counting(keys={"execute": "always"}, text="a")
    assert outcomes(run(package)) == {"count:1": "Inserted"}
    for _ in range(2):
        before = ProcessorExecution.objects.get()
        assert outcomes(run(package, dry_run=True)) == {"count:1": "Updated"}
        assert ProcessorExecution.objects.get().executed_at == before.executed_at
        (entry,) = run(package).items
        assert (entry.outcome, entry.message) == ("Updated", "")
        assert ProcessorExecution.objects.get().executed_at > before.executed_at


def test_a_date_left_to_the_run_is_that_of_each_run_where_it_is_always_executed():
    package = counting(keys={"execute": "always"}, **{"from": "$today-5d"})
    assert not warnings(run(package))
    row = ProcessorExecution.objects.get()
    row.input["from"] = "2020-01-01"
    row.save()
    (entry,) = run(package).items
    assert entry.changes["from"][0] == "2020-01-01"
    assert ProcessorExecution.objects.get().input["from"] > "2020-01-01"


@pytest.mark.parametrize("keys", [{}, {"execute": "once"}, {"onChange": "update"}])
def test_a_date_left_to_the_run_is_warned_of_where_it_is_executed_once(keys):
    """The hash is of the text as written, so it is never executed again (OPEN-25)."""
    package = counting(keys=keys, **{"from": "$today-5d"}).item("count:2")
    for options in ({"dry_run": True}, {}, {}, {"window": 1}):
        report = run(package, **options)
        ((path, message),) = warnings(report)
        assert path == "steps[0].items[0].from"
        assert "executed only once" in message
        assert '"execute": "always"' in message
    assert outcomes(report) == {"count:1": "Unchanged", "count:2": "Unchanged"}
    assert not warnings(run(counting(keys=keys, text="a")))


def test_administrators_can_view_it_but_change_nothing(admin_client):
    run(counting(text="a b c"))
    page = admin_client.get("/admin/processing/processorexecution/")
    assert ">count:1<" in page.content.decode()
    key = ProcessorExecution.objects.get().pk
    url = f"/admin/processing/processorexecution/{key}/change/"
    assert "a b c" in admin_client.get(url).content.decode()
    assert admin_client.post(url, {}).status_code == 403


def test_tokens_are_dates_of_the_run():
    run(counting(**{"from": "$today-5d"}))
    assert ProcessorExecution.objects.get().input["from"] != "$today-5d"
