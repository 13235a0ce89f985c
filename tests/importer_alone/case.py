"""What the checks of the importer alone share: packages, and a user who runs them."""

from __future__ import annotations

import io
import json

from django.contrib.auth import get_user_model
from django.test import TransactionTestCase

from importer.services import ImportOptions, import_package


def package(*steps):
    header = {
        "format": "platform-import/1",
        "package": "shelf",
        "version": 1,
        "origin": "import",
        "configuration": "Library",
    }
    return json.dumps({**header, "steps": list(steps)}).encode()


def authors(*names, **keys):
    items = [{"$id": f"a:{n}", "code": n, "name": n.title()} for n in names]
    return {"dictionary": "Authors", "items": items, **keys}


def portraits(*authors, **keys):
    items = [
        {"$id": f"p:{number}", "code": f"P{number}", "authorId": author}
        for number, author in enumerate(authors)
    ]
    return {"dictionary": "Portraits", "items": items, **keys}


def book(code, author, **values):
    base = {"$id": f"b:{code}", "code": code, "title": f"Book {code}"}
    return {**base, "authorId": author, **values}


class Alone(TransactionTestCase):
    """A librarian with an empty library."""

    def setUp(self):
        self.user = get_user_model().objects.create_superuser("librarian")

    def run_package(self, *steps, **options):
        options = ImportOptions(**options)
        return import_package(io.BytesIO(package(*steps)), options, user=self.user)

    def outcomes(self, *steps, **options):
        report = self.run_package(*steps, **options)
        return [result.outcome for result in report.items]
