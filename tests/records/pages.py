"""The pages of the administration as tests use them: send a form, read what it says."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

from django.contrib.messages import get_messages
from django.urls import reverse


def url(row_or_model, page, **query):
    opts = row_or_model._meta
    has_key = page not in ("add", "changelist")
    path = reverse(
        f"admin:{opts.app_label}_{opts.model_name}_{page}",
        args=[row_or_model.pk] if has_key else [],
    )
    return f"{path}?{urlencode(query)}" if query else path


def typed(row, **values):
    """Return what a browser sends for the page of a row, with some fields retyped."""
    fields = {
        "code": row.code,
        "name": row.name,
        "expected_version": row.version,
    }
    for name in ("address", "description", "barcode", "category"):
        if hasattr(row, name):
            fields[name] = getattr(row, name) or ""
    for name in ("parent", "unit_of_measure"):
        if hasattr(row, f"{name}_id"):
            fields[name] = getattr(row, f"{name}_id") or ""
    if getattr(row, "price", None) is not None:
        fields["price"] = str(row.price)
    return {**fields, **values}


def save(client, row, **values):
    return client.post(url(row, "change"), typed(row, **values))


def add(client, model, **values):
    return client.post(url(model, "add"), values)


def errors(answer):
    """Return the errors of a page that was shown again, by form field."""
    assert answer.status_code == 200, answer
    form = answer.context["adminform"].form
    return {name: list(texts) for name, texts in form.errors.items()}


def shown(answer):
    """Return what stands in the fields of a page that was shown again."""
    form = answer.context["adminform"].form
    return {name: form[name].value() for name in form.fields}


def act(client, model, action, rows, *, confirm=None, **query):
    """Choose an action in a list, and agree to it with the number of rows."""
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    if confirm is None:
        data["index"] = 0
    else:
        data["post"] = confirm
    return client.post(url(model, "changelist", **query), data)


def said(answer):
    return [str(message) for message in get_messages(answer.wsgi_request)]


def text(answer):
    """Return what a page says, without its menu and its markup."""
    body = answer.content.decode().split('id="content"')[1]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def links(answer):
    """Return the links of a page by their texts."""
    page = answer.content.decode()
    found = re.findall(r'<a href="([^"]*)"[^>]*>(.*?)</a>', page, re.DOTALL)
    return {" ".join(re.sub("<[^>]*>", " ", t).split()): unescape(u) for u, t in found}
