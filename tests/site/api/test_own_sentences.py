"""No sentence of the framework reaches a caller: ours take their place, in each language."""

from __future__ import annotations

import inspect
import json

import pytest
from django.test import RequestFactory
from django.urls import get_resolver
from django.utils.translation import override
from rest_framework import exceptions, serializers
from rest_framework.views import APIView

from importer.targets import StrictSerializer
from platform_site.processing.processor import DataProcessor
from platform_site.site.api.errors import answer_to

LANGUAGES = ("en", "de", "ru")
# JSON has neither dates nor moments: what arrives is a text.
UNREACHABLE = {"date", "datetime"}
ARGUMENTS = {
    exceptions.MethodNotAllowed: ("PUT",),
    exceptions.UnsupportedMediaType: ("text/plain",),
    exceptions.Throttled: (7,),
}
RAISED = [
    each
    for _name, each in inspect.getmembers(exceptions, inspect.isclass)
    if issubclass(each, exceptions.APIException)
    and each not in (exceptions.APIException, exceptions.ValidationError)
]


def told(raised, language):
    """Return what a caller reads of an exception, and what the framework says of it."""
    with override(language):
        exc = raised(*ARGUMENTS.get(raised, ()))
        context = {"request": RequestFactory().get("/"), "view": APIView()}
        answer = answer_to(exc, context)
        return json.loads(answer.content)["detail"], str(exc.detail)


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("raised", RAISED)
def test_exceptions_of_the_framework_get_our_messages(raised, language):
    detail, stock = told(raised, language)
    assert detail != stock
    assert (detail == told(raised, "en")[0]) == (language == "en")


def test_a_sentence_of_our_own_is_left_as_it_is():
    exc = exceptions.NotFound("The row 17 of Items doesn't exist.")
    answer = json.loads(answer_to(exc, {}).content)
    assert answer["detail"] == "The row 17 of Items doesn't exist."


def test_the_refusal_of_an_unsupported_body_says_what_to_send():
    told_now, _stock = told(exceptions.UnsupportedMediaType, "en")
    assert told_now == "Unsupported content type; send application/json."


def descendants(kind):
    for each in kind.__subclasses__():
        yield each
        yield from descendants(each)


def stock_of(field, code):
    """Return the framework's sentence for a code of a field, None for one of our own."""
    for kind in type(field).__mro__:
        if kind.__module__.startswith("rest_framework"):
            sentence = getattr(kind, "default_error_messages", {}).get(code)
            if sentence is not None:
                return str(sentence)
    return None


def answered():
    """Yield the serializers of answers: nobody sends what they refuse."""
    for processor in descendants(DataProcessor):
        yield processor.Result
        for field in processor.Result().fields.values():
            yield type(getattr(field, "child", None))


def leaks(serializer):
    """Yield each stock sentence that a value of a serializer can be refused with."""
    for name, field in serializer.fields.items():
        if not field.read_only:
            for code, sentence in field.error_messages.items():
                if code not in UNREACHABLE and str(sentence) == stock_of(field, code):
                    yield f"{type(serializer).__name__}.{name} {code}: {sentence}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_property_is_refused_in_the_words_of_the_framework(language):
    assert get_resolver().url_patterns
    known = [
        each
        for each in set(descendants(StrictSerializer)) - set(answered())
        if not each.__module__.startswith("tests.")
        and (not issubclass(each, serializers.ModelSerializer) or hasattr(each, "Meta"))
    ]
    assert len(known) > 20
    with override(language):
        found = [leak for each in known for leak in leaks(each())]
    assert sorted(found) == []
