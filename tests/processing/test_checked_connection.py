"""Which addresses are public; fetching itself is tried with
`ImportPackageFromUrl`, against a server."""

from __future__ import annotations

import pytest

from platform_site.processing.checked_connection import is_public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "64:ff9b:1::808:808",
        "::10.0.0.1",
        "::8.8.8.8",
        "fec0::1",
        "feff::1",
    ],
)
def test_private_addresses_are_known_in_every_spelling(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1", "64:ff9b::808:808"])
def test_public_addresses_are_known(address):
    assert is_public(address)
