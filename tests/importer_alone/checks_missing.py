"""Missing objects in plain models; run by ``test_alone``."""

from __future__ import annotations

from importer.package.shapes import Outcome
from tests.importer_alone.case import Alone, authors, book, portraits
from tests.importer_alone.library.models import Author, Book

ALL = {"onMissing": "delete", "maxDelete": "100%"}


def books(*codes, **keys):
    items = [book(each, {"$code": "ada"}) for each in codes]
    return {"dictionary": "Books", "items": items, **keys}


class MissingTests(Alone):
    def both(self, *steps):
        """Run steps dry and in earnest; return the outcomes by id."""
        planned = self.run_package(*steps, dry_run=True)
        done = self.run_package(*steps)
        told = [
            [(o.id, o.outcome, o.message) for o in report.items]
            for report in (planned, done)
        ]
        self.assertEqual(*told)
        return {identifier: outcome for identifier, outcome, _message in told[0]}

    def test_what_left_the_file_is_deleted_and_comes_back(self):
        self.run_package(authors("ada", "bob"), books("1"))
        found = self.both(authors("ada", **ALL))
        self.assertEqual(found["a:bob"], Outcome.DELETED)
        bob = Author.objects.get(code="bob")
        self.assertTrue(bob.is_deleted)
        self.assertFalse(bob.is_modified_after_import)
        found = self.both(authors("ada", "bob", **ALL))
        self.assertEqual(found["a:bob"], Outcome.RESTORED)
        found = self.both(authors("ada", "bob", **ALL))
        self.assertEqual(set(found.values()), {Outcome.UNCHANGED})

    def test_an_author_goes_only_with_the_last_book(self):
        self.run_package(authors("ada", "bob"), books("1"))
        found = self.both(authors("bob", **ALL))
        self.assertEqual(found["a:ada"], Outcome.MISSING)
        found = self.both(authors("bob", **ALL), {**books(**ALL)})
        self.assertEqual(found["b:1"], Outcome.DELETED)
        self.assertEqual(found["a:ada"], Outcome.DELETED)
        self.assertTrue(Book.objects.get().is_deleted)

    def test_rows_that_cannot_be_deleted_softly_are_only_reported(self):
        self.run_package(authors("ada"), portraits({"$code": "ada"}))
        report = self.run_package(portraits(**ALL))
        self.assertIn("must be one of keep, report", report.diagnostics[0].message)
        found = self.both(authors(**ALL), portraits(onMissing="report"))
        self.assertEqual(found, {"p:0": Outcome.MISSING, "a:ada": Outcome.MISSING})

    def test_rows_without_a_history_cannot_be_merged(self):
        report = self.run_package(authors("ada", onUserModified="merge"))
        sentence = report.diagnostics[0].message
        self.assertIn("steps[0].onUserModified: must be one of skip, over", sentence)
