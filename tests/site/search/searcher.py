"""Somebody who searches, and what the answers say."""

from __future__ import annotations

import html
import re

from django.test import Client

TYPING = {"HX-Request": "true"}


class Searcher:
    """Somebody signed in who types into the box."""

    def __init__(self, user):
        self.client = Client()
        self.client.force_login(user)

    def answer(self, text, **headers):
        found = self.client.get("/admin/search/", {"q": text}, headers=headers)
        assert found.status_code == 200, found
        return found

    def groups(self, text):
        """Return what is suggested: the codes and titles of each kind."""
        found = self.answer(text, **TYPING).context["found"]
        return {
            group.title: [hit.code or hit.title for hit in group.hits]
            for group in found.groups
        }

    def types(self, text):
        """Return the suggestions as text."""
        return seen(self.answer(text, **TYPING))


def seen(answer):
    """Return the text of an answer."""
    text = html.unescape(re.sub(r"<[^>]+>", "", answer.content.decode()))
    return re.sub(r"\s+", " ", text).strip()
