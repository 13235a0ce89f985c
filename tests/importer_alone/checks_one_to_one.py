"""References that only one row may have, to rows whose keys are no numbers: what is said
of them before anything is written."""

from __future__ import annotations

from importer.package.shapes import Outcome
from tests.importer_alone.case import Alone, authors, portraits
from tests.importer_alone.library.models import Author, Portrait


class OneToOneTests(Alone):
    def test_a_dry_run_plans_one_to_one_references(self):
        steps = authors("ada", "bob"), portraits({"$ref": "a:ada"}, {"$ref": "a:bob"})
        self.assertEqual(self.outcomes(*steps, dry_run=True), [Outcome.INSERTED] * 4)
        self.assertEqual(self.outcomes(*steps), [Outcome.INSERTED] * 4)
        self.assertEqual(self.outcomes(*steps, dry_run=True), [Outcome.UNCHANGED] * 4)
        swapped = authors("ada", "bob"), portraits({"$ref": "a:bob"}, {"$ref": "a:ada"})
        for dry_run in (True, False):
            report = self.run_package(*swapped, dry_run=dry_run, continue_on_error=True)
            self.assertEqual(
                [p.code for p in report.problems], ["taken"] * 2, report.problems
            )

    def test_a_second_portrait_of_an_author_is_refused_in_a_dry_run_too(self):
        for known in (False, True):
            steps = authors("ada"), portraits({"$ref": "a:ada"}, {"$ref": "a:ada"})
            for dry_run in (True, False):
                options = {"dry_run": dry_run, "continue_on_error": True}
                report = self.run_package(*steps, **options)
                [problem] = report.problems
                self.assertEqual((problem.code, problem.owner.key), ("taken", "p:0"))
                self.assertIn("Ada", problem.value)
            self.assertEqual(Portrait.objects.count(), 1, known)

    def test_a_portrait_is_adopted_by_its_author(self):
        self.run_package(authors("ada", "bob"))
        for author in Author.objects.all():
            Portrait.objects.create(code=f"old {author.code}", author=author)
        by_both = portraits({"$ref": "a:ada"}, {"$code": "bob"}, match=["authorId"])
        for dry_run in (True, False):
            outcomes = self.outcomes(authors("ada", "bob"), by_both, dry_run=dry_run)
            self.assertEqual(outcomes[2:], [Outcome.ADOPTED] * 2)
        self.assertEqual({one.code for one in Portrait.objects.all()}, {"P0", "P1"})

    def test_an_author_who_is_only_planned_has_no_portrait_to_adopt(self):
        steps = authors("ada"), portraits({"$ref": "a:ada"}, match=["authorId"])
        self.assertEqual(self.outcomes(*steps, dry_run=True), [Outcome.INSERTED] * 2)
