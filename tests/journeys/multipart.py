"""A package and its options as the body of an upload."""

from __future__ import annotations

_BOUNDARY = "between-the-parts"


def package_upload(content, **fields):
    """Return the body and the headers of a form with a package and other fields."""
    parts = "".join(
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
        f"{value}\r\n"
        for name, value in fields.items()
    )
    parts += (
        f"--{_BOUNDARY}\r\nContent-Disposition: form-data; "
        'name="file"; filename="p.json"\r\n\r\n'
    )
    body = parts.encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
