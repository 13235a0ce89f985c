"""The settings of the API documentation: title, texts, and local files only."""

from __future__ import annotations

from typing import Any

from platform_site import __version__

_DESCRIPTION = """\
Programs can do everything here that people do in the administration, with the same rules
and rights.

Sign in with `POST /api/v1/Auth/login` and send the token as `Authorization: Bearer …`,
or send an API key as `X-Api-Key`. Properties are in camelCase. Decimals are returned as
strings, so that no digit is lost. Errors are `application/problem+json`.
"""


def documentation_settings() -> dict[str, Any]:
    """Return the settings of drf-spectacular."""
    return {
        "TITLE": "Platform",
        "DESCRIPTION": _DESCRIPTION,
        "VERSION": __version__,
        "OAS_VERSION": "3.1.0",
        "LICENSE": {"name": "MIT", "identifier": "MIT"},
        "SERVERS": [{"url": "/", "description": "This installation."}],
        "SCHEMA_PATH_PREFIX": r"/api/v1",
        "COMPONENT_SPLIT_REQUEST": True,
        "COMPONENT_NO_READ_ONLY_REQUIRED": True,
        "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
        "ENUM_NAME_OVERRIDES": {
            "LicenceState": "licensing.licence.LicenceState",
            "RunStatus": [
                *("Queued", "Running", "Completed", "Failed", "Interrupted"),
            ],
            "LedgerRole": [
                *("inventory", "payables", "receivables"),
                *("sales", "costOfGoods", "bank"),
            ],
            "RunKind": ["package", "plan", "decision", "undo"],
            "WebhookEvent": [
                *("record.changed", "document.posted", "run.finished", "job.failed"),
            ],
            "DeliveryState": ["waiting", "sent"],
            "JobExecutionStatusEnum": [
                *("Waiting", "Running", "Completed", "Failed", "Interrupted"),
            ],
        },
        "PREPROCESSING_HOOKS": [
            "platform_site.site.api.documentation.only_the_interface"
        ],
        "POSTPROCESSING_HOOKS": [
            "platform_site.site.api.description_details.keep_null_choices",
            "drf_spectacular.hooks.postprocess_schema_enums",
            "platform_site.site.api.documentation.describe_errors",
            "platform_site.site.api.answer_schemas.require_answered",
            "platform_site.site.api.description_details.finish",
        ],
        # Local files, never from another host.
        "SWAGGER_UI_DIST": "SIDECAR",
        # The template names the icon of the site.
        "SWAGGER_UI_FAVICON_HREF": "",
        "SWAGGER_UI_SETTINGS": {
            "deepLinking": True,
            "displayRequestDuration": True,
            "docExpansion": "none",
            "filter": True,
            "persistAuthorization": True,
        },
    }
