"""The answer to the address of a row that doesn't exist: 404, with the way to its list."""

from __future__ import annotations

from typing import Any, NoReturn

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _


class NoSuchRow(Http404):
    """A row that doesn't exist, and the list in which others do."""

    def __init__(self, sentence: str, list_title: str, list_url: str) -> None:
        super().__init__(sentence)
        self.list_title = list_title
        self.list_url = list_url


class MissingRowMixin(admin.ModelAdmin[Any]):
    """Pages of rows that answer 404 where Django leads to the start page."""

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> NoReturn:
        plural = capfirst(str(opts.verbose_name_plural))
        sentence = _(
            "%(kind)s: the row %(key)s doesn't exist. It may have been deleted for good."
        )
        raise NoSuchRow(
            sentence % {"kind": plural, "key": unquote(object_id)},
            plural,
            reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist"),
        )
