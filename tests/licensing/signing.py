"""A vendor for the tests: a key of its own, and strings signed with it, good and bad."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt import PyJWS

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
DAY = 86_400


def moment(days):
    return int(NOW.timestamp()) + days * DAY


def claims(**changed):
    """Return the claims of a good licence; a changed one of `...` is left out."""
    given = {
        "licensee": "Evaluation",
        "iat": moment(-10),
        "exp": moment(355),
        "users": 20,
        "documentsPerMonth": 5000,
        "linesPerDocument": 500,
    } | changed
    return {name: value for name, value in given.items() if value is not ...}


def segment(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Vendor:
    """Hold a key, and sign with it whatever is asked for."""

    def __init__(self):
        self.private_key = Ed25519PrivateKey.generate()
        self.public_key = self.private_key.public_key()

    @property
    def private_pem(self):
        return self.private_pem_with(serialization.NoEncryption())

    def private_pem_with(self, encryption):
        return self.private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
        )

    @property
    def public_pem(self):
        return self.public_key.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def licence(self, **changed):
        return self.signed(json.dumps(claims(**changed)).encode())

    def signed(self, payload):
        return PyJWS().encode(payload, self.private_key, "EdDSA")

    def signed_raw(self, header, payload):
        """Sign what the library would refuse to."""
        text = f"{segment(header)}.{segment(payload)}"
        return f"{text}.{segment(self.private_key.sign(text.encode()))}"
