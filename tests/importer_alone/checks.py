"""What the importer does in a project of its own; run by ``test_alone``."""

from __future__ import annotations

import io
import json
from base64 import b64encode
from datetime import UTC, datetime
from unittest import mock

from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.utils import timezone
from rest_framework.test import APIClient

from importer.package.shapes import Outcome
from importer.runs.background import engine
from importer.services import get_report, package_schema
from importer.targets import SerializerTarget
from tests.importer_alone.case import Alone, authors, book, package
from tests.importer_alone.library.models import Author, Book

EVENING = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


class AloneTests(Alone):
    def test_rows_go_in_once_and_a_second_run_changes_nothing(self):
        books = {
            "dictionary": "Books",
            "items": [
                book("1", {"$ref": "a:ada"}, pages=300, price="12.50"),
                book("2", {"$code": "bob"}, lent=True, genre="poetry"),
            ],
        }
        first = self.outcomes(authors("ada", "bob"), books)
        self.assertEqual(first, [Outcome.INSERTED] * 4)
        again = self.outcomes(authors("ada", "bob"), books)
        self.assertEqual(again, [Outcome.UNCHANGED] * 4)
        self.assertEqual(Book.objects.get(code="1").author.code, "ada")
        self.assertEqual(Book.objects.get(code="2").import_source, "shelf")

    def test_no_book_refers_to_an_author_deleted_concurrently(self):
        books = {"dictionary": "Books", "items": [book("1", {"$ref": "a:ada"})]}
        commit = SerializerTarget.commit

        def first_gone(target, prepared, mark):
            if target.model is Book:
                Author.objects.update(is_deleted=True)
            return commit(target, prepared, mark)

        with mock.patch.object(SerializerTarget, "commit", first_gone):
            report = self.run_package(authors("ada"), books, continue_on_error=True)
        self.assertEqual(report.items[1].outcome, Outcome.FAILED)
        sentence = "Ada ($id a:ada) is deleted; restore it first."
        self.assertIn(sentence, report.items[1].message)
        self.assertFalse(Book.objects.exists())

    def test_a_book_does_not_come_back_without_its_author(self):
        step = {"dictionary": "Books", "items": [book("1", {"$ref": "a:ada"})]}
        self.run_package(authors("ada"), step)
        Book.objects.update(is_deleted=True)
        Author.objects.update(is_deleted=True)
        step = {**step, "onDeleted": "restore"}
        report = self.run_package(authors("ada"), step, continue_on_error=True)
        self.assertIn("Ada ($id a:ada) is deleted", report.items[1].message)
        planned = self.run_package(authors("ada"), step, dry_run=True)
        self.assertEqual(planned.items[1].message, report.items[1].message)
        back = authors("ada", onDeleted="restore")
        outcomes = self.outcomes(back, step)
        self.assertEqual(outcomes, [Outcome.RESTORED, Outcome.RESTORED])

    def test_a_changed_object_changes_its_row_alone(self):
        self.run_package(authors("ada", "bob"))
        step = authors("ada", "bob")
        step["items"][1]["name"] = "Robert"
        self.assertEqual(self.outcomes(step), [Outcome.UNCHANGED, Outcome.UPDATED])
        self.assertEqual(Author.objects.get(code="bob").name, "Robert")

    def said(self, name):
        step = authors("ada")
        step["items"][0]["name"] = name
        (entry,) = self.run_package(step).items
        return entry

    def test_a_time_that_django_keeps_makes_no_row_a_users(self):
        self.assertEqual(self.said("Ada").outcome, Outcome.INSERTED)
        self.assertFalse(Author.objects.get().is_modified_after_import)
        self.assertEqual(self.said("Ada L.").outcome, Outcome.UPDATED)
        self.assertFalse(Author.objects.get().is_modified_after_import)

    def test_an_update_that_changes_nothing_touches_no_time_of_the_row(self):
        self.said("Ada")
        before = Author.objects.get()
        self.assertEqual(self.said("Ada ").outcome, Outcome.UPDATED)
        after = Author.objects.get()
        self.assertEqual(after.modified, before.modified)
        self.assertNotEqual(after.import_source_hash, before.import_source_hash)
        self.assertFalse(after.is_modified_after_import)
        self.assertEqual(self.said("Ada ").outcome, Outcome.UNCHANGED)

    def test_a_row_edited_to_the_values_of_the_package_is_reported_once(self):
        self.said("Ada")
        row = Author.objects.get()
        row.name = "Mine"
        row.save()
        entry = self.said("Theirs")
        self.assertEqual(entry.differences, {"name": ["Mine", "Theirs"]})
        # Nobody records who it was; the row itself knows when.
        self.assertEqual((entry.name, entry.line), ("ada Mine", 1))
        modified = Author.objects.get().modified
        self.assertEqual((entry.kept.by, entry.kept.at), (None, modified))
        row.name = "Theirs"
        row.save()
        edited = Author.objects.get()
        entry = self.said("Theirs")
        self.assertEqual(entry.outcome, Outcome.SKIPPED_USER_MODIFIED)
        self.assertEqual(entry.differences, {})
        self.assertEqual(Author.objects.get().modified, edited.modified)
        self.assertEqual(self.said("Theirs").outcome, Outcome.UNCHANGED)
        self.assertEqual(self.said("New").outcome, Outcome.SKIPPED_USER_MODIFIED)

    def test_a_row_created_by_a_user_is_adopted(self):
        row = Author.objects.create(code="ada", name="by hand")
        self.assertEqual(
            self.outcomes(authors("ada", match=["code"])), [Outcome.ADOPTED]
        )
        row.refresh_from_db()
        self.assertEqual((row.name, row.import_key), ("Ada", "a:ada"))

    def test_no_program_gives_a_row_half_a_mark(self):
        with self.assertRaisesMessage(ValueError, "set here: import_key."):
            Author.objects.create(code="ada", name="Ada", import_key="a:ada")
        author = Author.objects.create(code="ada", name="Ada")
        author.name, author.import_source = "Ada L.", "shelf"
        author.save(update_fields=iter(["name"]))
        author.refresh_from_db()
        self.assertEqual((author.name, author.import_source), ("Ada L.", None))

    def test_a_taken_code_is_refused_with_its_path(self):
        Author.objects.create(code="ada", name="by hand")
        report = self.run_package(authors("ada"))
        self.assertEqual(report.status, "Failed")
        self.assertTrue(report.items[0].message.startswith("steps[0].items[0].code: "))

    def test_a_code_taken_since_the_check_is_the_only_problem_reported(self):
        self.run_package(authors("ada"))
        prepare, ada = SerializerTarget.prepare, Author.objects.get()

        def overtaken(target, order, lookup):
            draft = prepare(target, order, lookup)
            Book.objects.create(code="1", title="Faster", author=ada)
            return draft

        books = {"dictionary": "Books", "items": [book("1", {"$code": "ada"})]}
        with mock.patch.object(SerializerTarget, "prepare", overtaken):
            report = self.run_package(books)
        told = [(p.code, p.owner and p.owner.name) for p in report.problems]
        self.assertEqual(told, [("taken", str(Book.objects.get()))])

    def test_a_dry_run_writes_nothing_and_plans_references(self):
        books = {"dictionary": "Books", "items": [book("1", {"$ref": "a:ada"})]}
        outcomes = self.outcomes(authors("ada"), books, dry_run=True)
        self.assertEqual(outcomes, [Outcome.INSERTED] * 2)
        self.assertEqual(Author.objects.count() + Book.objects.count(), 0)

    def test_tokens_are_read_in_the_zone_of_the_run(self):
        items = [
            book("1", {"$ref": "a:ada"}, published="$today", arrived="$today"),
            book("2", {"$ref": "a:ada"}, published="$now", arrived="$now"),
            book("3", {"$ref": "a:ada"}, published="$today-5d", arrived="$today+3d"),
        ]
        steps = (authors("ada"), {"dictionary": "Books", "items": items})
        with mock.patch("django.utils.timezone.now", return_value=EVENING):
            self.run_package(*steps, time_zone="Europe/Berlin")
        one, two, three = Book.objects.order_by("code")
        self.assertEqual(one.published.isoformat(), "2026-03-02")
        self.assertEqual(one.arrived, datetime(2026, 3, 1, 23, tzinfo=UTC))
        self.assertEqual(two.published.isoformat(), "2026-03-02")
        self.assertEqual(two.arrived, EVENING)
        self.assertEqual(three.published.isoformat(), "2026-02-25")
        self.assertEqual(three.arrived, datetime(2026, 3, 4, 23, tzinfo=UTC))
        later = EVENING.replace(day=9)
        with mock.patch("django.utils.timezone.now", return_value=later):
            again = self.outcomes(*steps, time_zone="America/New_York")
        self.assertEqual(again, [Outcome.UNCHANGED] * 4)

    def test_a_bare_date_is_midnight_in_the_zone_of_the_run(self):
        item = book("1", {"$ref": "a:ada"}, arrived="2026-03-01")
        steps = (authors("ada"), {"dictionary": "Books", "items": [item]})
        self.run_package(*steps, time_zone="Europe/Berlin")
        arrived = Book.objects.get().arrived
        self.assertEqual(arrived, datetime(2026, 2, 28, 23, tzinfo=UTC))

    def test_the_callers_active_zone_counts_where_no_other_is_named(self):
        item = book("1", {"$ref": "a:ada"}, published="$today")
        steps = (authors("ada"), {"dictionary": "Books", "items": [item]})
        evening = mock.patch("django.utils.timezone.now", return_value=EVENING)
        with evening, timezone.override("Europe/Berlin"):
            self.run_package(*steps)
        self.assertEqual(Book.objects.get().published.isoformat(), "2026-03-02")

    def test_the_report_can_be_read_again(self):
        report = self.run_package(authors("ada", "bob"))
        stored = get_report(report.run_id)
        self.assertEqual(list(stored.items), list(report.items))

    def test_the_endpoints_work(self):
        client = APIClient()
        self.assertEqual(client.get("/library/Import/packages").status_code, 403)
        self.user.set_password("a long pass phrase")
        self.user.save()
        told = b64encode(b"librarian:a long pass phrase").decode()
        client.credentials(HTTP_AUTHORIZATION=f"Basic {told}")
        self.assertEqual(client.get("/library/Import/packages").json(), [])
        file = io.BytesIO(package(authors("ada", "bob")))
        file.name = "authors.json"
        started = client.post("/library/Import/run", {"file": file})
        self.assertEqual(started.status_code, 202, started.content)
        engine().join()
        run = client.get(started["Location"]).json()
        self.assertEqual((run["status"], run["startedBy"]), ("Completed", "librarian"))
        self.assertEqual(run["report"]["counts"]["Inserted"], 2)
        refused = client.post("/library/Import/run", {"package": "x"}, format="json")
        self.assertEqual((refused.status_code, list(refused.json())), (404, ["detail"]))
        schema = client.get("/library/Import/schema")
        self.assertEqual(schema["Content-Type"], "application/schema+json")

    def test_the_page_works(self):
        refused = self.client.get("/desk/import")
        self.assertRedirects(refused, "/desk/login/?next=/desk/import")
        self.user.is_superuser = self.user.is_staff = True
        self.user.save()
        self.client.force_login(self.user)
        self.assertContains(self.client.get("/desk/"), "Packages and history")
        self.assertContains(self.client.get("/desk/import"), "No packages came")
        file = io.BytesIO(package(authors("ada", "bob")))
        file.name = "authors.json"
        for action in ("dry-run", "import"):
            file.seek(0)
            started = self.client.post("/desk/import", {"action": action, "file": file})
            self.assertEqual(started.status_code, 302, started.content)
            engine().join()
            report = self.client.get(started["Location"])
            self.assertContains(report, "Inserted <b>2</b>")
            self.assertContains(report, "<td>Authors</td>")
        self.assertEqual(Author.objects.count(), 2)
        for asset in ("importer/import.css", "importer/import.js"):
            self.assertIsNotNone(finders.find(asset))

    def test_the_commands_work(self):
        names = package_schema()["$defs"]["step"]["properties"]["dictionary"]["enum"]
        self.assertEqual(names, ["Authors", "Books", "Portraits"])
        out = io.StringIO()
        call_command("import_schema", stdout=out)
        self.assertEqual(json.loads(out.getvalue()), package_schema())
