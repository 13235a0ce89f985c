"""The four ways on which a table comes in: each imports it, and returns the run."""

from __future__ import annotations

import html
from contextlib import suppress

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError

from importer.models import ImportRun
from importer.runs import background
from importer.runs.execution import execute
from importer.services import update_source
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError
from tests.catalogs.processors.folders import Folder
from tests.importer.admin_page.table_visitor import TableVisitor

SOURCE = "several_ways"


class ImmediateEngine:
    """An engine that carries out runs in the thread, and transaction, of a test."""

    def start(self, order):
        execute(order)
        order.close()

    def join(self, wait_seconds=None):
        """There is nothing to wait for."""


class Ways:
    """An administrator with a table source, which the first look at a list saves."""

    def __init__(self, user, name, data, chosen, folder, monkeypatch, settings):
        monkeypatch.setattr(background, "engine", ImmediateEngine)
        settings.PLATFORM_INBOX_FOLDER = folder
        self._user, self._folder = user, folder
        self._name, self._data = name, data
        self._visitor = TableVisitor(user)
        self.page = self._visitor.choose(data, name)
        if chosen:
            self.page = self._visitor.shown(self.page, **chosen)
        answer = self._visitor.send(self.page, "save", name=SOURCE)
        assert answer.status_code == 302, answer.content

    def refusals_of(self, data):
        """Yield what each way says about a file that is no table."""
        self._data = data
        yield html.unescape(self._visitor.choose(data, self._name, source=SOURCE))
        for way in (self.by_command, self.by_processor, self.by_folder):
            with pytest.raises((CommandError, InvalidStateError)) as refusal:
                way()
            yield str(refusal.value)
        (report,) = (self._folder / "watched" / "failed").glob("*.report.csv")
        yield report.read_text("utf-8")

    def by_page(self):
        text = self._visitor.choose(self._data, self._name, source=SOURCE)
        dry = self._visitor.ended(self._visitor.send(text, "dry-run"))
        rest = {"plan": dry.run_id, "continue_on_error": "on"}
        return self._visitor.ended(self._visitor.post("import", **rest))

    def by_command(self):
        file = self._folder / self._name
        self._folder.mkdir(exist_ok=True)
        file.write_bytes(self._data)
        with suppress(SystemExit):  # rows that are wrong
            call_command("import_table", str(file), "--source", SOURCE, "--quiet")
        return latest()

    def by_processor(self):
        self.execute(SimpleUploadedFile(self._name, self._data))
        return latest()

    def by_folder(self):
        origin = {"folder": "watched", "user": self._user.username}
        update_source(SOURCE, {"origin": origin})
        folder = Folder(self._folder / "watched")
        folder.put(self._name, self._data)
        self.execute()
        assert folder.names() == []
        update_source(SOURCE, {"origin": None})
        return latest()

    def execute(self, file=None):
        """Execute the data processor of the source."""
        files = {} if file is None else {"fileId": file}
        return services.execute(SOURCE, {}, user=self._user, files=files).result


def latest():
    return ImportRun.objects.real().latest("started_at")
