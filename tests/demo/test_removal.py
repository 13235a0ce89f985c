"""Removing demo data: what goes, what stays and why, and that it stays away."""

from __future__ import annotations

import io

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command

from catalogs.models import Item, UnitOfMeasure
from demo import receivers
from demo.errors import DemoRefused
from demo.models import DemoInstallation
from demo.removal import remove_demo_data
from demo.seeding import apply_pending_update, get_installation, seed
from documents.models import BankReceipt
from importer.models import ImportRun
from importer.runs.lock import import_lock
from importer.services import ImportInProgress
from platform_site.accounts.models import User
from platform_site.accounts.services import ADMIN, create_user, delete_user
from platform_site.changes.models import ChangeEvent
from tests.builders import edit_row, make_row, ref, row_of
from tests.demo.conftest import small_demo, user_names

pytestmark = pytest.mark.django_db


def a_shop(version=1):
    """Build a small demo company: a unit, three folders deep, two items."""
    built = small_demo(units=["kg"], version=version)
    built.steps[0]["match"] = ["code"]
    built.with_step("Items").folder("f:1", "F1")
    built.folder("f:2", "F2", parentId=ref("f:1"))
    built.folder("f:3", "F3", parentId=ref("f:2"))
    built.goods("i:1", "A1", ref("unit:kg"), parentId=ref("f:3"))
    return built.goods("i:2", "A2", ref("unit:kg"), parentId=ref("f:3"))


@pytest.fixture
def admin(db):
    return User.objects.get(username="admin")


@pytest.fixture
def shop(embed):
    embed(a_shop())
    seed()


def live():
    return {
        *Item.objects.live().values_list("code", flat=True),
        *UnitOfMeasure.objects.live().values_list("code", flat=True),
    }


def reasons(removal):
    return {kept.row.partition(" ")[0]: kept.reason for kept in removal.kept}


def test_everything_nobody_touched_goes(shop, admin):
    removal = remove_demo_data(actor=admin)
    assert removal.removed == {"Items": 5, "UnitsOfMeasure": 1}
    assert removal.kept == []
    assert live() == set()


def test_rows_go_by_the_services_with_an_event_each(shop, admin):
    remove_demo_data(actor=admin)
    events = ChangeEvent.objects.filter(action="deleted")
    assert events.count() == 6
    assert Item.objects.filter(is_deleted=True).count() == 5


def test_rows_that_an_update_put_under_a_later_one_go_as_well(shop, admin, embed):
    built = small_demo(units=["kg"], version=2).with_step("Items")
    built.folder("f:9", "F9").folder("f:1", "F1", parentId=ref("f:9"))
    embed(built)
    assert apply_pending_update().counts["Updated"] == 1
    assert remove_demo_data(actor=admin).kept == []
    assert live() == set()


def test_what_a_user_changed_stays_with_all_it_needs(shop, admin):
    edit_row(row_of("Items", "A1"), actor=admin, name="mine")
    removal = remove_demo_data(actor=admin)
    assert live() == {"A1", "F1", "F2", "F3", "kg"}
    said = reasons(removal)
    assert said["A1"] == "A user changed it."
    assert "A1" in said["F3"]
    assert "in use" in said["kg"]


def test_what_a_users_own_row_refers_to_stays(shop, admin):
    make_row(
        "Items",
        actor=admin,
        isFolder=True,
        code="OWN",
        name="Own",
        parentId=row_of("Items", "F1").pk,
    )
    removal = remove_demo_data(actor=admin)
    assert live() == {"OWN", "F1"}
    assert "OWN" in reasons(removal)["F1"]


def test_what_was_there_before_the_demo_stays(embed, admin):
    make_row("UnitsOfMeasure", actor=admin, code="kg", name="kg")
    embed(a_shop())
    assert seed().counts["Adopted"] == 1
    removal = remove_demo_data(actor=admin)
    assert live() == {"kg"}
    assert reasons(removal) == {"kg": "It existed before the demo data."}


def test_other_packages_are_not_concerned(shop, admin):
    make_row("UnitsOfMeasure", actor=admin, code="m", name="metre")
    remove_demo_data(actor=admin)
    assert live() == {"m"}


def test_a_dry_run_reports_the_same_errors_and_writes_nothing(shop, admin):
    edit_row(row_of("Items", "F1"), actor=admin, name="mine")
    events, before = ChangeEvent.objects.count(), live()
    planned = remove_demo_data(actor=admin, dry_run=True)
    assert (ChangeEvent.objects.count(), live()) == (events, before)
    assert User.objects.get(username="sales").is_active
    assert get_installation() is not None
    done = remove_demo_data(actor=admin)
    assert (planned.removed, planned.kept, planned.disabled_users) == (
        done.removed,
        done.kept,
        done.disabled_users,
    )


def test_a_posted_document_stays_where_its_removal_takes_a_right_that_is_missing(
    embed, licensed
):
    built = small_demo(units=[]).with_step("Currencies")
    built.item("eur", code="EUR", name="Euro").with_step("Counterparties")
    built.item("p", code="P", name="Partner").with_step("BankAccounts")
    built.item("b", code="B", name="Bank", currencyId=ref("eur"))
    built.documents("BankReceipts", submit=True)
    values = {"isIncome": True, "amount": "5", "date": "2026-03-01T12:00:00Z"}
    refs = {"bankAccountId": ref("b"), "counterpartyId": ref("p")}
    embed(built.item("money", **values, **refs))
    assert not seed().has_errors
    clerk = create_user(user_name="clerk", password="Correct-horse-1", roles=[ADMIN])
    clerk.groups.get().permissions.set(
        Permission.objects.filter(codename__startswith="delete_")
    )
    removal = remove_demo_data(actor=User.objects.get(pk=clerk.pk))
    reason = reasons(removal)[BankReceipt.objects.live().get().code]
    assert "clerk may not unpost bank receipts." in reason


def test_demo_users_are_disabled_and_nobody_else(embed, admin):
    create_user(user_name="sales", password="a long pass phrase")
    embed(a_shop())
    seed()
    delete_user(user=User.objects.get(username="visitor"))
    removal = remove_demo_data(actor=admin)
    assert set(removal.disabled_users) == {"warehouse", "bookkeeping"}
    inactive = User.objects.filter(is_active=False).values_list("username", flat=True)
    assert set(inactive) == {"warehouse", "bookkeeping"}
    assert User.objects.get(username="sales").is_active


def test_the_marker_stays_and_nothing_comes_back_by_itself(
    shop, admin, embed, settings
):
    remove_demo_data(actor=admin)
    marker = DemoInstallation.objects.get()
    assert (marker.package, marker.removed_at is None) == ("small-demo", False)
    assert get_installation() is None
    settings.PLATFORM_DEMO_SEED = True
    embed(a_shop(version=2))
    receivers.seed_after_migrate(apps.get_app_config("demo"), using="default")
    assert (seed(), apply_pending_update()) == (None, None)
    assert ImportRun.objects.count() == 1
    assert live() == set()


def test_asked_for_by_name_it_comes_back_and_can_be_removed_again(shop, admin):
    remove_demo_data(actor=admin)
    people = user_names()
    report = seed("small-demo")
    assert report.counts["Restored"] == 6
    assert live() == {"A1", "A2", "F1", "F2", "F3", "kg"}
    assert get_installation().removed_at is None
    assert user_names() == people
    assert remove_demo_data(actor=admin).kept == []


def test_without_demo_data_there_is_nothing_to_remove(admin):
    with pytest.raises(DemoRefused, match="no demo data"):
        remove_demo_data(actor=admin)


def test_only_administrators_may(shop):
    with pytest.raises(DemoRefused, match="Only administrators"):
        remove_demo_data(actor=User.objects.get(username="sales"))


def test_not_while_an_import_runs(shop, admin):
    with import_lock("somebody", "an import"), pytest.raises(ImportInProgress):
        remove_demo_data(actor=admin)


# The command.


def remove_demo(*arguments):
    printed = io.StringIO()
    call_command("remove_demo", *arguments, stdout=printed)
    return printed.getvalue()


def test_the_command_reports_first_and_then_deletes(shop, admin):
    edit_row(row_of("Items", "F1"), actor=admin, name="mine")
    told = remove_demo("--dry-run")
    assert "Would be removed: Items 4" in told
    assert "Kept: Items F1 mine. A user changed it." in told
    assert "Nothing was written." in told
    told = remove_demo()
    assert "Removed: Items 4" in told
    assert "Disabled: " in told
    assert live() == {"F1"}


@pytest.mark.parametrize("name", ["nobody", "sales"])
def test_the_command_refuses_who_may_not(shop, name):
    with pytest.raises(CommandError) as end:
        remove_demo("--user", name)
    assert end.value.returncode == 2
    assert live()
