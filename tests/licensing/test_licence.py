"""The table of licence strings: which are good, and why each of the others is not."""

from __future__ import annotations

import json
from datetime import timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from hypothesis import example, given, strategies as st

from licensing.licence import (
    GREATEST_LIMIT,
    LicenceError,
    LicenceState,
    Terms,
    read_licence,
    sign_licence,
)
from licensing.limits import FREE, LicenceLimits
from tests.drill import effort
from tests.licensing.signing import NOW, Vendor, claims, moment, segment

HEADER = b'{"alg":"EdDSA"}'
GOOD = json.dumps(claims()).encode()
UNLIMITED = LicenceLimits(users=None, documents_per_month=None, lines_per_document=None)
# Made here as well, for hypothesis runs a test many times and takes no fixture.
LAW_VENDOR = Vendor()


def read(text, vendor, now=NOW):
    return read_licence(text, vendor.public_key, now)


def refused(licence):
    """Return the reason of a licence that must not be good for anything."""
    assert licence.state is LicenceState.INVALID
    assert licence.limits == FREE
    assert licence.reason.endswith(".")
    return licence.reason


def test_a_good_licence_says_who_may_do_how_much_until_when(vendor):
    """OPEN-84."""
    licence = read(vendor.licence(), vendor)
    assert licence.state is LicenceState.LICENSED
    assert licence.limits == LicenceLimits(20, 5000, 500)
    assert licence.terms.licensee == "Evaluation"
    assert licence.terms.expires_at == NOW + timedelta(days=355)
    assert licence.reason == ""


def test_null_is_no_limit(vendor):
    text = vendor.licence(users=None, documentsPerMonth=None, linesPerDocument=None)
    assert read(text, vendor).limits == UNLIMITED


@pytest.mark.parametrize(
    "changed",
    [
        {"licensee": "Öl & Gewürze, 東京"},
        {"users": 1},
        {"users": GREATEST_LIMIT},
        {"exp": 253_402_300_799},
        {"iat": moment(0) + 240},
        {"something": "else"},
    ],
    ids=str,
)
def test_unusual_claims_are_good_too(vendor, changed):
    assert read(vendor.licence(**changed), vendor).state is LicenceState.LICENSED


def test_blanks_and_line_ends_around_it_do_no_harm(vendor):
    text = f"\n  {vendor.licence()}\r\n"
    assert read(text, vendor).state is LicenceState.LICENSED


@pytest.mark.parametrize("name", ["users", "documentsPerMonth", "linesPerDocument"])
@pytest.mark.parametrize(
    "value",
    [0, -1, GREATEST_LIMIT + 1, 10**40, 20.0, 1.5, True, False, "20", "", [20], {}],
    ids=repr,
)
def test_a_limit_is_null_or_a_whole_number_in_reason(vendor, name, value):
    assert f"claim {name} " in refused(read(vendor.licence(**{name: value}), vendor))


@pytest.mark.parametrize("name", ["iat", "exp"])
@pytest.mark.parametrize(
    "value",
    [None, -1, 253_402_300_800, 10**40, 1.5, True, "1793491200", "2036-01-01", []],
    ids=repr,
)
def test_times_are_whole_seconds_in_the_calendar(vendor, name, value):
    assert f"claim {name} " in refused(read(vendor.licence(**{name: value}), vendor))


@pytest.mark.parametrize(
    "value",
    [None, 7, True, "", "  ", "x" * 201, "a\nb", "a\x00b", "a\u2028b", "\ud800", ["x"]],
    ids=ascii,
)
def test_a_licensee_is_a_name_that_fits_a_line(vendor, value):
    assert "claim licensee " in refused(read(vendor.licence(licensee=value), vendor))


@pytest.mark.parametrize("name", sorted(claims()))
def test_every_claim_must_be_there(vendor, name):
    assert f"lacks {name}" in refused(read(vendor.licence(**{name: ...}), vendor))


def test_a_licence_of_yesterday_is_expired_and_has_the_limits_of_free(vendor):
    licence = read(vendor.licence(exp=moment(-1)), vendor)
    assert licence.state is LicenceState.EXPIRED
    assert licence.limits == FREE
    assert "Evaluation ended at 2026-06-14 12:00 UTC" in licence.reason


def test_it_ends_on_the_very_second(vendor):
    licence = read(vendor.licence(exp=moment(1)), vendor)
    end = NOW + timedelta(days=1)
    assert licence.at(end - timedelta(seconds=1)).limits == LicenceLimits(20, 5000, 500)
    assert licence.at(end).state is LicenceState.EXPIRED
    assert licence.at(end).limits == FREE


def test_a_licence_from_the_future_is_invalid_until_then(vendor):
    licence = read(vendor.licence(iat=moment(1)), vendor)
    assert "check the clock" in refused(licence)
    assert licence.at(NOW + timedelta(days=1)).state is LicenceState.LICENSED


def without_signature(vendor):
    header = segment(b'{"alg":"none"}')
    return f"{header}.{segment(GOOD)}."


def kept_signature_with_none(vendor):
    return vendor.signed_raw(b'{"alg":"none"}', GOOD)


def public_key_as_password(vendor):
    # By hand: the library refuses to take a public key for a password.
    header = segment(b'{"alg":"HS256"}')
    text = f"{header}.{segment(GOOD)}"
    algorithm = jwt.get_algorithm_by_name("HS256")
    return f"{text}.{segment(algorithm.sign(text.encode(), vendor.public_pem))}"


def other_curve(vendor):
    return jwt.PyJWS().encode(GOOD, Ed448PrivateKey.generate(), "EdDSA")


def key_brought_along(vendor):
    stranger = Vendor()
    raw = stranger.public_key.public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw
    )
    key = {"kty": "OKP", "crv": "Ed25519", "x": segment(raw)}
    header = json.dumps({"alg": "EdDSA", "jwk": key}).encode()
    return stranger.signed_raw(header, GOOD)


def other_content(vendor):
    head, _, signature = vendor.licence().split(".")
    more = json.dumps(claims(users=None)).encode()
    return f"{head}.{segment(more)}.{signature}"


BAD = {
    "alg none": (without_signature, "not signed with EdDSA"),
    "alg none with a signature": (kept_signature_with_none, "not signed with EdDSA"),
    "HS256 with the public key": (public_key_as_password, "not signed with EdDSA"),
    "alg in lower case": (
        lambda vendor: vendor.signed_raw(b'{"alg":"eddsa"}', GOOD),
        "not signed with EdDSA",
    ),
    "alg is a list": (
        lambda vendor: vendor.signed_raw(b'{"alg":["EdDSA"]}', GOOD),
        "not signed with EdDSA",
    ),
    "no alg": (
        lambda vendor: vendor.signed_raw(b"{}", GOOD),
        "not signed with EdDSA",
    ),
    "another curve": (other_curve, "signature"),
    "another key": (lambda vendor: Vendor().licence(), "signature"),
    "a key brought along": (key_brought_along, "signature"),
    "other content": (other_content, "signature"),
    "cut in the content": (lambda vendor: vendor.licence()[:90], "complete licence"),
    "cut in the signature": (lambda vendor: vendor.licence()[:-6], "signature"),
    "a fourth part": (lambda vendor: f"{vendor.licence()}.x", "complete licence"),
    "broken over two lines": (
        lambda vendor: f"{vendor.licence()[:80]}\n{vendor.licence()[80:]}",
        "complete licence",
    ),
    "an unknown critical header": (
        lambda vendor: vendor.signed_raw(b'{"alg":"EdDSA","crit":["x"],"x":1}', GOOD),
        "complete licence",
    ),
    "content outside": (
        lambda vendor: vendor.signed_raw(
            b'{"alg":"EdDSA","crit":["b64"],"b64":false}', b""
        ),
        "complete licence",
    ),
    "a deep header": (
        lambda vendor: vendor.signed_raw(b"[" * 5000, GOOD),
        "complete licence",
    ),
    "empty": (lambda vendor: "", "empty"),
    "blank": (lambda vendor: " \n", "empty"),
    "no licence at all": (lambda vendor: "free for all", "complete licence"),
    "two dots": (lambda vendor: "..", "complete licence"),
    "letters of no licence": (lambda vendor: "é" + vendor.licence(), "characters"),
    "half a character": (lambda vendor: "\ud800.a.b", "characters"),
    "a whole book": (lambda vendor: "a" * 10_000_000, "longer"),
    "a list": (lambda vendor: vendor.signed(b"[]"), "a JSON object"),
    "null": (lambda vendor: vendor.signed(b"null"), "a JSON object"),
    "no JSON": (lambda vendor: vendor.signed(b"{'licensee'}"), "not JSON"),
    "no UTF-8": (lambda vendor: vendor.signed(b'{"licensee":"\xff"}'), "not JSON"),
    "deep JSON": (lambda vendor: vendor.signed(b"[" * 5000), "not JSON"),
    "a number of thousands of digits": (
        lambda vendor: vendor.signed(b'{"users":' + b"9" * 5000 + b"}"),
        "not JSON",
    ),
    "an endless limit": (
        lambda vendor: vendor.signed(GOOD.replace(b"5000", b"1e999")),
        "claim documentsPerMonth",
    ),
    "a limit that is no number": (
        lambda vendor: vendor.signed(GOOD.replace(b"5000", b"NaN")),
        "claim documentsPerMonth",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_string_is_invalid_and_the_reason_says_why(vendor, name):
    make, word = BAD[name]
    assert word in refused(read(make(vendor), vendor))


def test_the_same_header_and_content_are_good_when_signed_as_they_should(vendor):
    # Otherwise the strings made by hand above might be bad for another reason.
    text = vendor.signed_raw(HEADER, GOOD)
    assert read(text, vendor).state is LicenceState.LICENSED


@effort(100)
@given(st.text(st.characters(codec=None)))
@example("a.b.c")
@example("e30.e30.e30")
def test_no_text_raises(text):
    refused(read(text, LAW_VENDOR))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)


@effort(60)
@given(st.dictionaries(st.sampled_from(sorted(claims())), _json))
def test_no_content_raises(changed):
    licence = read(LAW_VENDOR.licence(**changed), LAW_VENDOR)
    assert (licence.state is LicenceState.LICENSED) == (licence.reason == "")


@effort(100)
@given(st.data())
def test_no_changed_character_leaves_a_good_licence(data):
    text = LAW_VENDOR.licence()
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(min_codepoint=33, max_codepoint=126))
    changed = text[:place] + other + text[place + 1 :]
    if changed != text:
        refused(read(changed, LAW_VENDOR))


def test_what_is_signed_is_read_back(vendor):
    terms = Terms("Ångström", NOW, NOW + timedelta(days=3), LicenceLimits(7, None, 9))
    licence = read(sign_licence(terms, vendor.private_key), vendor)
    assert licence.state is LicenceState.LICENSED
    assert licence.terms == terms


@pytest.mark.parametrize("limit", [0, -1, GREATEST_LIMIT + 1])
def test_nothing_is_signed_that_would_be_refused(vendor, limit):
    terms = Terms("X", NOW, NOW + timedelta(days=3), LicenceLimits(limit, None, None))
    with pytest.raises(LicenceError, match="claim users"):
        sign_licence(terms, vendor.private_key)
