"""A browser without scripts for tests of the page for tables."""

from __future__ import annotations

import hashlib
import io
import re
from urllib.parse import parse_qs, urlsplit

from tests.importer.admin_page.conftest import PAGE, Visitor

TABLE = f"{PAGE}/table"
SEVERAL = b"code;name;other\n1;One;x\n2;Two;y\n"


class TableVisitor(Visitor):
    """A visitor who sends the form of the page as a browser does."""

    def choose(self, data, name="list.csv", **fields):
        """Upload a table, and return the page that shows it."""
        file = io.BytesIO(data)
        file.name = name
        answer = self.client.post(TABLE, {"file": file, **fields})
        assert answer.status_code == 302, answer.content
        self.digest = hashlib.sha256(data).hexdigest()
        assert parse_qs(urlsplit(answer["Location"]).query)["file"] == [self.digest]
        return self.client.get(answer["Location"]).content.decode()

    def send(self, text, action="show", **changed):
        """Send the form of a page with other values for some of its fields."""
        sent = {**form_of(text), "action": action, **changed}
        return self.client.post(TABLE, sent)

    def shown(self, text, **changed):
        answer = self.send(text, **changed)
        assert answer.status_code == 200, answer.content
        return answer.content.decode()


def form_of(text):
    """Return the fields of the form for a table, each with a list of values."""
    form = text[text.index('id="table-form"') :]
    form = form[: form.index("</form>")]
    fields = {}
    for tag in re.findall(r"<input\b[^>]*>|<select\b.*?</select>", form, re.DOTALL):
        name = re.search(r'\bname="([^"]*)"', tag)[1]
        if tag.startswith("<select"):
            value = re.search(r'value="([^"]*)" selected', tag)
            value = value[1] if value else re.search(r'value="([^"]*)"', tag)[1]
        elif 'type="checkbox"' in tag and "checked" not in tag:
            continue
        else:
            value = re.search(r'\bvalue="([^"]*)"', tag)[1]
        fields.setdefault(name, []).append(value)
    return fields


def properties(text):
    """Return which property each column is."""
    fields = form_of(text)
    return dict(zip(fields["header"], fields["property"], strict=True))


def problems(text):
    """Return the sentences about what must be solved first."""
    found = re.search(r'imp-problems" role="alert">(.*?)</div>', text, re.DOTALL)
    return re.findall(r"<p>(.*?)</p>", found[1]) if found else []
