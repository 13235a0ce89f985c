"""Importing a package from a URL, served by a local HTTPS server."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from catalogs.models import Constant, UnitOfMeasure
from catalogs.processors import import_package_from_url as processor
from catalogs.processors.import_package_from_url import ImportPackageFromUrl
from importer.models import ImportRun
from platform_site.changes.models import ChangeEvent
from platform_site.processing import checked_connection, fetch as fetching, services
from platform_site.processing.errors import InvalidStateError
from tests.builders import erase_row
from tests.catalogs.processors.source import (
    TOKEN,
    configure,
    endless,
    redirect,
    send,
)
from tests.catalogs.rows import boss
from tests.processing.users import somebody_who_may


def run(user=None, **data):
    return services.execute("ImportPackageFromUrl", data, user=user or boss()).result


def counts(result):
    names = ("inserted", "updated", "unchanged", "skipped", "failed")
    return {name: result[name] for name in names if result[name]}


def refused(**data):
    with pytest.raises(InvalidStateError) as refusal:
        run(**data)
    assert not UnitOfMeasure.objects.exists()
    return str(refusal.value)


def test_the_first_run_imports_and_keeps_the_etag(source):
    assert counts(run()) == {"inserted": 2}
    constant = Constant.objects.get()
    assert constant.value == source.etag
    assert constant.effective_date.isoformat() == "1900-01-01"
    ((_, headers),) = source.asked
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert headers["If-None-Match"] is None


def test_unchanged_content_writes_nothing_at_all(source):
    run()
    events, runs = ChangeEvent.objects.count(), ImportRun.objects.count()
    result = run()
    assert (counts(result), result["runId"]) == ({}, None)
    assert "hasn't changed" in result["message"]
    assert source.asked[-1][1]["If-None-Match"] == source.etag
    assert (ChangeEvent.objects.count(), ImportRun.objects.count()) == (events, runs)


def test_changed_content_updates_what_changed_and_corrects_the_constant(source):
    """IMP-305."""
    run()
    source.content = source.content.replace(b'"name":"a"', b'"name":"Unit of a"')
    assert counts(run()) == {"updated": 1, "unchanged": 1}
    assert Constant.objects.get().value == source.etag


def test_without_the_kept_etag_everything_is_unchanged(source):
    run()
    erase_row(Constant.objects.get())
    assert counts(run()) == {"unchanged": 2}


def test_a_dry_run_keeps_nothing(source):
    assert counts(run(dryRun=True)) == {"inserted": 2}
    assert not Constant.objects.exists()
    assert not UnitOfMeasure.objects.exists()


def test_after_a_run_with_errors_the_etag_is_not_kept(source):
    source.content = source.content.replace(b'"name":"a"', b'"name":""')
    assert counts(run(continueOnError=True)) == {"inserted": 1, "failed": 1}
    assert not Constant.objects.exists()


def test_without_the_right_on_constants_the_import_succeeds_with_a_message(source):
    """IMP-306."""
    person = somebody_who_may(ImportPackageFromUrl)
    allow_to(person, "add_unitofmeasure")
    result = run(user=person)
    assert counts(result) == {"inserted": 2}
    assert "may not add constants" in result["message"]


def allow_to(person, codename):
    person.user_permissions.add(Permission.objects.get(codename=codename))


def test_another_address_is_requested_without_the_old_etag(source, settings):
    run()
    configure(settings, source.url("/other.json"))
    run()
    assert source.asked[-1][1]["If-None-Match"] is None


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/package.json",
        "HTTP://localhost/",
        "ftp://localhost/",
        "file:///etc/passwd",
        "//localhost/",
        "localhost",
        "https://",
        "https://[::1/",
        "https://localhost:port/",
        "https://localhost:99999/",
        "https://local host/",
        "https://localhost/\r\nX: y",
    ],
)
def test_only_https_is_requested(source, settings, url):
    """IMP-301."""
    configure(settings, url)
    assert "must begin with https://" in refused()
    assert source.asked == []


def test_an_address_with_a_password_is_refused_without_showing_it(source, settings):
    configure(settings, f"https://me:hidden@localhost:{source.port}/")
    sentence = refused()
    assert "set a token" in sentence
    assert "hidden" not in sentence


def test_a_token_that_cannot_be_sent_is_not_shown(source, settings):
    configure(settings, source.url(), token="se\ncret")
    sentence = refused()
    assert "cannot be sent" in sentence
    assert "cret" not in sentence


def test_a_redirect_to_https_is_followed_with_the_token(source):
    source.pages["/package.json"] = redirect("/moved.json")
    assert counts(run()) == {"inserted": 2}
    assert source.asked[-1][1]["Authorization"] == f"Bearer {TOKEN}"


def test_a_redirect_to_another_host_loses_the_token(source):
    source.pages["/package.json"] = redirect(f"https://127.0.0.1:{source.port}/moved")
    assert counts(run()) == {"inserted": 2}
    assert source.asked[-1][1]["Authorization"] is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_http_is_refused(source, status):
    source.pages["/package.json"] = redirect("http://localhost/package.json", status)
    assert "must begin with https://" in refused()


def test_a_redirect_loop_ends(source):
    source.pages["/package.json"] = redirect("/package.json")
    assert "redirects more than 5 times" in refused()
    assert len(source.asked) == 6


def test_an_endless_body_is_cut_at_the_limit(source, settings):
    settings.IMPORTER = {**settings.IMPORTER, "MAX_PACKAGE_SIZE_BYTES": 1_000_000}
    source.pages["/package.json"] = endless
    told = refused()
    assert "more than 1,000,000 bytes; nothing was fetched." in told
    assert told.endswith("ask the operator to increase Import:MaxPackageSizeBytes.")


def test_a_source_that_never_ends_its_response_times_out(source, monkeypatch):
    def slow(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "10")
        handler.end_headers()
        handler.wfile.write(b"1")
        source.over.wait()

    source.pages["/package.json"] = slow

    def hasty(order, into):
        return fetching.fetch(order, into=into, seconds=0.3)

    monkeypatch.setattr(processor, "fetch", hasty)
    assert "within 0.3 seconds" in refused()


def test_a_body_cut_short_is_refused(source):
    def short(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(b"{}")

    source.pages["/package.json"] = short
    assert "cannot be reached" in refused()


@pytest.mark.parametrize("status", [204, 206, 401, 404, 500])
def test_an_unexpected_status_is_reported(source, status):
    source.pages["/package.json"] = lambda handler: send(handler, status)
    assert f"The source answered {status}" in refused()


def test_compressed_content_is_refused(source):
    source.pages["/package.json"] = lambda handler: send(
        handler, 200, b"x", Content_Encoding="gzip"
    )
    assert "compressed" in refused()


def test_an_invalid_package_is_the_message_of_the_run(source):
    source.content = b"<html>"
    result = run()
    assert counts(result) == {}
    assert "$" in result["message"]
    assert not Constant.objects.exists()


def test_an_untrusted_certificate_is_refused(source, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "certificate of the source is not accepted" in refused()


def test_a_certificate_for_another_name_is_reported_with_one_full_stop(
    source, settings, monkeypatch
):
    real = checked_connection.socket.getaddrinfo
    monkeypatch.setattr(
        checked_connection.socket,
        "getaddrinfo",
        lambda host, port, *args, **kwargs: real("127.0.0.1", port, **kwargs),
    )
    configure(settings, f"https://other.test:{source.port}/")
    sentence = refused()
    assert "not valid for 'other.test'" in sentence
    assert not sentence.endswith("..")


def test_a_refused_connection_is_reported_without_path_and_query(source, settings):
    configure(settings, "https://localhost:1/path?secret=x")
    sentence = refused()
    assert "The source localhost:1 cannot be reached" in sentence
    assert "secret" not in sentence


def test_a_private_address_is_refused_unless_allowed(source, settings):
    settings.PLATFORM_IMPORT_ALLOW_PRIVATE = False
    assert "is in a private network" in refused()
    assert source.asked == []


def test_the_checked_address_is_the_one_connected_to(source, settings, monkeypatch):
    asked = []
    real = checked_connection.socket.getaddrinfo

    def rebinding(host, port, *args, **kwargs):
        asked.append(host)
        return real("127.0.0.1" if len(asked) == 1 else "127.0.0.2", port, **kwargs)

    monkeypatch.setattr(checked_connection.socket, "getaddrinfo", rebinding)
    assert counts(run()) == {"inserted": 2}
    assert asked == ["localhost"]


def test_the_source_is_required_if_there_are_several(db, settings):
    both = {name: {"URL": "https://x/", "TOKEN": ""} for name in ("b", "a")}
    settings.PLATFORM_IMPORT_SOURCES = both
    assert refused() == "Choose the source to import: a, b."
    sentence = "There is no source “c”. Choose the source to import: a, b."
    assert refused(source="c") == sentence


def test_source_names_are_case_insensitive(source):
    assert counts(run(source="PRICES")) == {"inserted": 2}


def test_without_a_source_the_setting_is_named(db, settings):
    """IMP-303."""
    settings.PLATFORM_IMPORT_SOURCES = {}
    assert "Import:Sources:<name>:Url" in refused()
