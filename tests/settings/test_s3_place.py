"""The settings of a bucket, and what is said of wrong ones."""

from __future__ import annotations

import pytest

from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError
from platform_site.settings.s3_place import s3_place

GROUPS = pytest.mark.parametrize("group", ["BlobStorage:S3", "Backup:Offsite:S3"])
WHOLE = {
    "Bucket": "company-files",
    "Endpoint": "https://s3.example.com:9000",
    "Region": "eu-central-1",
    "Prefix": "/erp/our files/",
    "AccessKey": "key",
    "SecretKey": "secret",
}


def placed(group, **values):
    names = {
        f"{group}:{name}".replace(":", "__"): text for name, text in values.items()
    }
    return s3_place(read_settings(names, None), group)


@GROUPS
def test_no_bucket_is_none(group):
    assert placed(group) is None


@GROUPS
def test_all_of_it_is_read(group):
    place = placed(group, **WHOLE)
    assert place.name == "s3://company-files/erp/our files"
    assert (place.endpoint, place.region) == (WHOLE["Endpoint"], "eu-central-1")
    assert (place.access_key, place.secret_key) == ("key", "secret")
    assert placed(group, Bucket="b").region == "us-east-1"


@GROUPS
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"Bucket": "a/b"}, ":Bucket ("),
        ({"Bucket": "s3://a"}, "the name of a bucket alone"),
        ({"Endpoint": "s3.example.com"}, "must begin with https:// or http://"),
        ({"Endpoint": "ftp://s3.example.com"}, ":Endpoint ("),
        ({"Endpoint": "https://"}, "followed by a host"),
        ({"Endpoint": "https://host:port"}, ":Endpoint ("),
        ({"Prefix": "a//b"}, ":Prefix ("),
        ({"Prefix": "../b"}, "must be a folder such as erp/files"),
        ({"Prefix": "a\nb"}, ":Prefix ("),
        ({"SecretKey": ""}, ":AccessKey ("),
        ({"AccessKey": ""}, ":SecretKey ("),
    ],
)
def test_a_wrong_one_is_named_with_its_source(group, values, words):
    with pytest.raises(SettingsError) as raised:
        placed(group, **{**WHOLE, **values})
    assert words in str(raised.value)
    assert "variable " in str(raised.value)
    assert "secret" not in str(raised.value)


@GROUPS
def test_the_rest_without_a_bucket_is_not_dropped_in_silence(group):
    with pytest.raises(SettingsError, match=f"{group}:Bucket isn't"):
        placed(group, Endpoint="https://s3.example.com")
