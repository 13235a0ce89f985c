"""Helpers for the admin pages of documents: submit a form with lines, press a
button."""

from __future__ import annotations

from django.urls import reverse

from tests.records.pages import url

PREFIX = "line_rows"


def lines_typed(*lines):
    """Return the form data of lines given as (item, quantity, price)."""
    data = {f"{PREFIX}-TOTAL_FORMS": len(lines), f"{PREFIX}-INITIAL_FORMS": 0}
    for number, line in enumerate(lines):
        for name, value in zip(("item", "quantity", "price"), line, strict=True):
            value = getattr(value, "pk", value)
            data[f"{PREFIX}-{number}-{name}"] = str(value)
    return data


def typed(world, *lines, on="2026-03-05", **values):
    """Return the form data of a new document with lines."""
    return {
        "code": "",
        "date_0": on,
        "date_1": "12:00:00",
        "counterparty": world.partner.pk,
        "warehouse": world.main.pk,
        "currency": world.eur.pk,
        "comment": "",
        **lines_typed(*lines),
        **values,
    }


def retyped(world, row, *lines, **values):
    """Return the form data of a stored document with lines."""
    said = [(ln["item_id"], ln["quantity"], ln["price"]) for ln in row.lines]
    return {
        **typed(world, *(lines or said), on=f"{row.date:%Y-%m-%d}"),
        "code": row.code,
        "expected_version": row.version,
        **values,
    }


def press(client, row, name, *more, **data):
    """Press a button of a document and follow the redirect."""
    opts = row._meta
    path = reverse(
        f"admin:{opts.app_label}_{opts.model_name}_{name}", args=[row.pk, *more]
    )
    return client.post(path, {"version": row.version, **data}, follow=True)


def add(client, model, data):
    return client.post(url(model, "add"), data)


def save(client, row, data):
    return client.post(url(row, "change"), data)


def line_errors(answer):
    """Return the errors of the lines: those of the table, and those of each line by
    field."""
    assert answer.status_code == 200, answer
    formset = answer.context["inline_admin_formsets"][0].formset
    each = [
        {name: list(texts) for name, texts in found.items()} for found in formset.errors
    ]
    return list(formset.non_form_errors()), each
