"""A second implementation of the canonical form, as an oracle."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal


def canonical(value):
    if isinstance(value, dict):
        pairs = (f"{_text(key)}:{canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | Decimal):
        return str(value)
    return _text(value)


def _text(value):
    return json.dumps(value, ensure_ascii=False)


def hash_of(item):
    return hashlib.sha256(canonical(item).encode()).hexdigest()
