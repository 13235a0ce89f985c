"""The command `reset_admin` restores access for administrators and for nobody else."""

from __future__ import annotations

import getpass
import io
import sys

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.urls import reverse

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user, is_administrator, lock_user
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db
GOOD = "seven-Herons-43"
LOGIN = "/api/v1/Auth/login"


class Typed(io.StringIO):
    """Standard input from a program or a terminal."""

    def __init__(self, text="", *, terminal=False):
        super().__init__(text)
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Typed())


@pytest.fixture
def at_a_terminal(monkeypatch):
    """Return the list of lines that the user types."""
    answers = []
    monkeypatch.setattr(sys, "stdin", Typed(terminal=True))
    monkeypatch.setattr(getpass, "getpass", lambda prompt: answers.pop(0))
    return answers


def reset(*options, given=None):
    """Run the command with ``given`` as standard input."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        if given is not None:
            patched.setattr(sys, "stdin", Typed(given))
            options = (*options, "--password-stdin")
        call_command("reset_admin", *options, stdout=out, stderr=err)
    return out.getvalue() + err.getvalue()


def refusal(*options, **how):
    with pytest.raises(CommandError) as refused:
        reset(*options, **how)
    return refused.value


def admin():
    return User.objects.get(username="admin")


def test_without_a_terminal_a_password_is_generated_and_shown_once():
    said = reset()
    assert '"admin" has a new password.' in said
    (password,) = [
        line.rpartition(": ")[2]
        for line in said.splitlines()
        if "shown only once" in line
    ]
    assert len(password) >= 20
    assert authenticate(username="admin", password=password) == admin()
    assert authenticate(username="admin", password=DEFAULT_ADMIN_PASSWORD) is None


def test_a_password_from_standard_input_is_used_and_not_printed():
    said = reset(given=f"{GOOD}\r\nmore\n")
    assert GOOD not in said
    assert authenticate(username="admin", password=GOOD) == admin()


def test_on_a_terminal_the_password_is_asked_twice(at_a_terminal):
    at_a_terminal += [GOOD, GOOD]
    assert GOOD not in reset()
    assert authenticate(username="admin", password=GOOD) == admin()


def test_different_passwords_change_nothing(at_a_terminal):
    at_a_terminal += [GOOD, "another"]
    refused = refusal()
    assert (refused.returncode, "Nothing was changed" in str(refused)) == (2, True)
    assert authenticate(username="admin", password=DEFAULT_ADMIN_PASSWORD)


def test_an_empty_password_generates_one(at_a_terminal):
    at_a_terminal += [""]
    assert "shown only once" in reset()


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, EOFError])
def test_interrupting_the_command_changes_nothing(
    at_a_terminal, monkeypatch, interruption
):
    def give_up(prompt):
        raise interruption

    monkeypatch.setattr(getpass, "getpass", give_up)
    assert str(refusal()) == "Nothing was changed."


@pytest.mark.parametrize("weak", ["", "short", "12345678901", DEFAULT_ADMIN_PASSWORD])
def test_a_weak_password_is_refused(weak):
    assert refusal(given=f"{weak}\n").returncode == 2
    assert authenticate(username="admin", password=DEFAULT_ADMIN_PASSWORD)


def test_a_reset_ends_tokens_and_sessions(client):
    signed_in = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
    token = client.post(LOGIN, signed_in, content_type="application/json").json()
    headers = {"Authorization": f"Bearer {token['token']}"}
    assert client.get("/api/v1/Items", headers=headers).status_code == 200
    client.force_login(admin())
    reset(given=GOOD)
    assert client.get(reverse("admin:index")).status_code == 302
    client.logout()
    assert client.get("/api/v1/Items", headers=headers).status_code == 401


def test_a_reset_ends_all_waits_after_wrong_passwords(client):
    guess = {"userName": "admin", "password": "wrong"}
    while client.post(LOGIN, guess, content_type="application/json").status_code != 429:
        pass
    reset(given=GOOD)
    right = {"userName": "admin", "password": GOOD}
    answer = client.post(LOGIN, right, content_type="application/json")
    assert answer.status_code == 200


def test_a_reset_is_in_the_security_log(caplog, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        reset(given=GOOD)
    (line,) = [r.fields for r in caplog.records if r.name == "platform.security"]
    assert (line["event"], line["via"]) == ("change", "command")
    assert (line["kind"], line["row"], line["changed"]) == (
        "Users",
        "admin",
        "password",
    )


def test_a_reset_records_a_change_event_without_the_password():
    before = ChangeEvent.objects.count()
    reset(given=GOOD)
    event = ChangeEvent.objects.order_by("-pk").first()
    assert ChangeEvent.objects.count() == before + 1
    assert (event.model, event.row, event.origin) == ("Users", "admin", "System")
    assert event.changes == {"password": ["not shown", "not shown"]}


def test_enable_restores_an_administrator():
    lock_user(user=admin())
    user = admin()
    user.groups.clear()
    user.user_permissions.add(Permission.objects.get(codename="view_changeevent"))
    lost = dict.fromkeys(("is_active", "is_staff", "is_superuser"), False)
    User.objects.filter(pk=user.pk).update(**lost)
    reset("--enable", given=GOOD)
    user = authenticate(username="admin", password=GOOD)
    assert user is not None
    assert is_administrator(user)
    assert user.is_staff
    assert list(user.groups.values_list("name", flat=True)) == ["admin"]


def test_without_enable_a_deactivated_account_stays_deactivated_with_a_hint():
    User.objects.filter(pk=admin().pk).update(is_active=False)
    said = reset(given=GOOD)
    assert "--enable" in said
    assert not admin().is_active


def test_an_administrator_with_another_name_can_be_reset():
    renamed = admin()
    User.objects.filter(pk=renamed.pk).update(username="root")
    refused = refusal(given=GOOD)
    assert refused.returncode == 2
    assert str(refused) == (
        'There is no account "admin". The administrators are: root. Name one with '
        "--user."
    )
    reset("--user", "root", given=GOOD)
    assert authenticate(username="root", password=GOOD) == renamed


def test_without_any_administrator_one_is_created():
    User.objects.all().delete()
    assert 'Created the administrator "admin"' in reset(given=GOOD)
    user = authenticate(username="admin", password=GOOD)
    assert is_administrator(user)
    assert user.is_staff


def test_another_user_becomes_administrator_only_with_enable():
    create_user(user_name="clerk", password="long-secret", roles=["employee"])
    refused = refusal("--user", "clerk", given=GOOD)
    assert "isn't an administrator" in str(refused)
    assert refused.returncode == 2
    assert authenticate(username="clerk", password="long-secret")
    reset("--user", "clerk", "--enable", given=GOOD)
    clerk = authenticate(username="clerk", password=GOOD)
    assert is_administrator(clerk)
    assert set(clerk.groups.values_list("name", flat=True)) == {"admin", "employee"}


@pytest.mark.parametrize("name", ["nobody", "jobs-scheduler", "mcp-agent"])
def test_unknown_names_and_programs_are_refused_before_asking_for_a_password(
    at_a_terminal, name
):
    assert refusal("--user", name, "--enable").returncode == 2
