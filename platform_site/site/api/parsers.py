"""The parser of JSON bodies: numbers are exact, and invalid JSON gives 400 with the
reason and its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, Final

from django.http.request import RawPostDataException, UnreadablePostError
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from rest_framework.exceptions import (
    APIException,
    ParseError,
    UnsupportedMediaType,
)
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from importer import DuplicateKey, explain_json_error
from platform_site.records.json_texts import read_json

LARGEST_BODY: Final = 10 * 1024 * 1024


class BodyTooLarge(APIException):
    """The refusal of a very large body; packages and files have their own paths."""

    status_code = 413
    default_code = "too_large"

    def __init__(self) -> None:
        most = number_format(LARGEST_BODY, force_grouping=True)
        super().__init__(_("The body is larger than %(most)s bytes.") % {"most": most})
        self.members = {"limit": LARGEST_BODY}


class JsonParser(BaseParser):
    """The parser of any JSON body; the views require an object."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value; raise ParseError with line and column, or
        UnsupportedMediaType for a packed body."""
        if parser_context:
            _refuse_encoding(parser_context["request"])
        try:
            # One more byte shows that the body is too large.
            body = stream.read(LARGEST_BODY + 1)
        except (UnreadablePostError, RawPostDataException, OSError):
            raise ParseError(
                _("The body ended too early; send the request again.")
            ) from None
        if len(body) > LARGEST_BODY:
            raise BodyTooLarge
        try:
            return read_json(body.decode())
        except UnicodeDecodeError:
            raise ParseError(_("The body is not in UTF-8.")) from None
        except json.JSONDecodeError as error:
            place = _("line %(line)d, column %(column)d") % {
                "line": error.lineno,
                "column": error.colno,
            }
            reason = f"{explain_json_error(error)} ({place})"
            raise ParseError(_("The body isn't valid JSON: %s.") % reason) from None
        except DuplicateKey as doubled:
            message = _("One object in the body has the key “%(key)s” twice.")
            raise ParseError(message % {"key": doubled.key}) from None
        except RecursionError:
            raise ParseError(_("The body is nested too deeply.")) from None
        except ValueError as error:
            raise ParseError(_("The body isn't valid JSON: %s.") % error) from None


def _refuse_encoding(request: Request) -> None:
    given = request.headers.get("Content-Encoding", "").strip().lower()
    if given not in ("", "identity"):
        text = _("Send the body as it is, without Content-Encoding.")
        raise UnsupportedMediaType(given, text)
