"""Django's settings for every environment, assigned from the configuration object."""

from __future__ import annotations

from typing import Any

from corsheaders.defaults import default_headers
from django.core.management.utils import get_random_secret_key
from django.forms import BaseForm
from django.utils.functional import SimpleLazyObject
from django_stubs_ext import monkeypatch

from platform_site.settings import several_nodes
from platform_site.settings.apps import added_apps
from platform_site.settings.configuration import APPLICATION_FOLDER, active
from platform_site.settings.documentation import documentation_settings
from platform_site.settings.log import logging_function, logging_settings

# Allows generic base classes such as `ModelAdmin[Item]`.
monkeypatch(extra_classes=[BaseForm])

_configuration = active()
_settings = _configuration.settings

# The product
PLATFORM_CONFIGURATION = "Trade"
PLATFORM_APPS = added_apps(_configuration)
PLATFORM_CONFIGURATION_APPS = ["catalogs", "documents"]
PLATFORM_TIME_ZONE = _configuration.time_zone
PLATFORM_DATA_FOLDER = _configuration.data_folder
PLATFORM_BLOBS_FOLDER = _configuration.blobs_folder
PLATFORM_BLOBS_BUCKET = _configuration.blobs_bucket
PLATFORM_BACKUPS_TO_KEEP = _settings.number("Platform:Database:BackupsToKeep")
PLATFORM_WARN_BELOW_BYTES = _settings.number_or_none("Platform:Disk:WarnBelowBytes")
PLATFORM_STATEMENT_SECONDS = _settings.number("Platform:Database:StatementTimeout")
PLATFORM_LOCK_SECONDS = _settings.number("Platform:Database:LockTimeout")
PLATFORM_DATABASE_MUST_EXIST = _settings.switch("Platform:Database:MustExist")
PLATFORM_MAX_FILE_SIZE = _settings.number("BlobStorage:MaxFileSizeBytes")
PLATFORM_BYTES_PER_USER = _settings.number("BlobStorage:MaxBytesPerUser")
PLATFORM_EXECUTIONS_TO_KEEP = _settings.number("Platform:Jobs:ExecutionsToKeep")
PLATFORM_SESSION_IDLE = _settings.duration("Platform:Sessions:IdleTimeout")
PLATFORM_SEED_ADMIN_PASSWORD = _settings.text("Platform:Seed:AdminPassword")
PLATFORM_FEATURES = _settings.flags()
PLATFORM_DEMO_SEED = _settings.switch("Demo:Seed")
PLATFORM_DEMO_USERS = "demo.users.TradeDemoUsers"
_tokens = _settings.named("Import:Sources:*:Token")
PLATFORM_IMPORT_SOURCES = {
    # Called so because Django's error page masks what is called a token.
    name: {"URL": str(url), "TOKEN": str(_tokens.get(name, ""))}
    for name, url in _settings.named("Import:Sources:*:Url").items()
}
PLATFORM_INBOX_FOLDER = PLATFORM_DATA_FOLDER / _settings.text("Import:FoldersPath")
PLATFORM_IMPORT_ALLOW_PRIVATE = _settings.switch("Import:AllowPrivateAddresses")
PLATFORM_WEBHOOKS_ALLOW_PRIVATE = _settings.switch("Webhooks:AllowPrivate")
PLATFORM_WEBHOOKS_ENABLED = _settings.switch("Webhooks:Enabled")
PLATFORM_NODES = _configuration.has_nodes
PLATFORM_NODE_SECONDS = _settings.number("Platform:NodeTimeout")
PLATFORM_JOB_DEFERRER = several_nodes.job_deferrer(_configuration)
IMPORTER = {
    "CONFIGURATION": PLATFORM_CONFIGURATION,
    "TIME_ZONE": PLATFORM_TIME_ZONE,
    "LOCK_FILE": _configuration.data_folder / "db" / ".import.lock",
    # Beside the blobs, which several servers can share.
    "UPLOAD_FOLDER": PLATFORM_BLOBS_FOLDER / "packages",
    "RUNS_TO_KEEP": _settings.number("Import:RunsToKeep"),
    "MAX_PACKAGE_SIZE_BYTES": _settings.number("Import:MaxPackageSizeBytes"),
    **several_nodes.importer_settings(_configuration),
}

_licence_file = _settings.text("Licensing:LicenseFilePath")
LICENSING: dict[str, Any] = {
    # A relative path is below the data folder (OPEN-84).
    "FILE": _configuration.data_folder / _licence_file if _licence_file else None,
    # Called so because Django's error page masks what is called a token.
    "TOKEN": _settings.text("Licensing:LicenseValue"),
    "TROUBLE": _settings.effective("Licensing:LicenseValue").trouble,
}

# Apps, in the order their post-migrate receivers must run: accounts after everything
# that has permissions, demo after the accounts.
INSTALLED_APPS = [
    "platform_site.site.overview.apps.PlatformAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    # For its field templates, which ours may replace.
    "django.forms",
    "rest_framework",
    "corsheaders",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "platform_site",
    "platform_site.site.overview",
    "importer",
    "licensing",
    "platform_site.idempotency",
    "platform_site.changes",
    "platform_site.files",
    "platform_site.notifications",
    "platform_site.saved_views",
    "platform_site.records",
    "platform_site.processing",
    "platform_site.webhooks",
    "platform_site.scheduling",
    "catalogs",
    "documents",
    *PLATFORM_APPS,
    "platform_site.site.search",
    "platform_site.site.welcome",
    "platform_site.site.agents",
    "platform_site.site.automation",
    "platform_site.site.system",
    *several_nodes.apps(_configuration),
    "platform_site.accounts",
    "demo",
]
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = several_nodes.NO_DISCOVERY
# The page after a sign-in without a requested page.
LOGIN_REDIRECT_URL = "admin:index"
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["platform_site.accounts.backends.AccountsBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES: dict[str, dict[str, Any]] = several_nodes.databases(_configuration)

# Requests
ROOT_URLCONF = "platform_site.urls"
ALLOWED_HOSTS = list(_settings.list("AllowedHosts"))
CSRF_TRUSTED_ORIGINS = list(_configuration.trusted_origins)
# Before the first start there is no key; signatures until then needn't last.
SECRET_KEY = _configuration.secret_key or get_random_secret_key()
SECRET_KEY_FALLBACKS = list(_configuration.previous_secret_keys())
PLATFORM_PREVIOUS_TOKEN_KEYS = _configuration.previous_token_keys()
PLATFORM_HTTPS_PORT = _configuration.https_port
# Known HTTPS means that plain HTTP serves nothing but the redirect (OPEN-102).
SECURE_SSL_REDIRECT = PLATFORM_HTTPS_PORT is not None
# A monitoring asks on the machine itself. Over plain HTTP these take only its key.
SECURE_REDIRECT_EXEMPT = [r"^health/details$", r"^metrics$"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT
# An idle session ends earlier (see there).
SESSION_ENGINE = "platform_site.accounts.sessions"
SESSION_COOKIE_AGE = int(
    _settings.duration("Platform:Sessions:Lifetime").total_seconds()
)
CSRF_FAILURE_VIEW = "platform_site.site.web.errors.csrf_failure"
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for sub-domains, which may belong to others (OPEN-101)
    "security.W021",  # HSTS preload, which only the owner of a domain can promise
]
MIDDLEWARE = [
    # Around everything that responds, so that all log lines and responses have the id.
    "platform_site.site.web.request_ids.RequestIdMiddleware",
    "platform_site.site.web.access.AccessLogMiddleware",
    "platform_site.site.web.headers.HeadersMiddleware",
    # Before everything that could refuse: probes use addresses and plain HTTP, and
    # must not need a database.
    "platform_site.site.status.health.HealthMiddleware",
    # Before everything that queries the database.
    "platform_site.database.limits.LimitsMiddleware",
    "platform_site.site.web.https.RedirectToHttpsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Before everything that may refuse a request, so that refusals have the headers.
    "corsheaders.middleware.CorsMiddleware",
    # Before everything that may refuse a request with a message.
    "django.middleware.locale.LocaleMiddleware",
    # Before everything that reads a form or query, which refusing also does.
    "platform_site.site.web.charsets.CharsetMiddleware",
    "importer.backpressure.BackpressureMiddleware",
    "platform_site.site.api.compression.CompressionMiddleware",
    "platform_site.site.api.middleware.ApiMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Here the caller is known; what follows concerns whole requests.
    "platform_site.site.web.admission.AdmissionMiddleware",
    "platform_site.accounts.languages.LanguageMiddleware",
    "platform_site.accounts.time_zones.TimeZoneMiddleware",
    # Here the caller, language and zone are known.
    "platform_site.site.web.maintenance.MaintenanceMiddleware",
    "platform_site.changes.middleware.ActingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "platform_site.accounts.first_password.OwnPasswordMiddleware",
    "platform_site.site.welcome.middleware.WelcomeMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

# The API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # The first one determines 401 instead of 403 (OPEN-59).
        "platform_site.accounts.authentication.BearerAuthentication",
        "platform_site.accounts.authentication.ApiKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["platform_site.site.api.parsers.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "platform_site.site.api.negotiation.OneForm",
    "DEFAULT_METADATA_CLASS": "platform_site.site.api.negotiation.NoMetadata",
    "DEFAULT_PAGINATION_CLASS": "platform_site.site.api.paging.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "platform_site.site.api.errors.answer_to",
    "URL_FORMAT_OVERRIDE": None,
    "PAGE_SIZE": 50,
}
SIMPLE_JWT = {
    "ALGORITHM": "HS256",
    # Read when the first token is signed, since before the first start there is none.
    "SIGNING_KEY": SimpleLazyObject(_configuration.token_key),
    "ISSUER": _settings.text("JwtOptions:Issuer"),
    "AUDIENCE": _settings.text("JwtOptions:Audience"),
    "ACCESS_TOKEN_LIFETIME": _settings.duration("JwtOptions:Expires"),
    "REFRESH_TOKEN_LIFETIME": _settings.duration("JwtOptions:RefreshExpiresToken"),
    "USER_ID_CLAIM": "sub",
}
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOWED_ORIGINS = list(_configuration.cors_origins)
CORS_ALLOW_CREDENTIALS = bool(_configuration.cors_origins)
CORS_ALLOW_HEADERS = [
    *default_headers,
    *("idempotency-key", "if-match", "if-none-match", "prefer"),
    *("x-api-key", "x-request-id", "x-time-zone"),
]
CORS_EXPOSE_HEADERS = [
    *("ETag", "Idempotent-Replayed", "Location", "Preference-Applied", "Retry-After"),
    "X-Request-ID",
]
PLATFORM_SWAGGER = _settings.switch("Platform:Swagger:Enabled")
SPECTACULAR_SETTINGS = documentation_settings()
REPORT_RESULT_CACHE = {
    "TTL_SECONDS": _settings.number("ReportResultCache:TtlSeconds"),
    "MAX_ENTRIES": _settings.number("ReportResultCache:MaxEntries"),
}

# E-mail
EMAIL_HOST = _settings.text("Mail:Host")
EMAIL_PORT = _settings.number("Mail:Port")
EMAIL_HOST_USER = _settings.text("Mail:UserName")
EMAIL_HOST_PASSWORD = _settings.text("Mail:Password")
EMAIL_USE_TLS = _settings.text("Mail:Encryption") == "starttls"
EMAIL_USE_SSL = _settings.text("Mail:Encryption") == "tls"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = _settings.text("Mail:From") or EMAIL_HOST_USER
PLATFORM_SITE_ADDRESS = _settings.text("Mail:SiteAddress").rstrip("/")

# Pages
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [APPLICATION_FOLDER / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
STATIC_URL = "/static/"
# Collected in a published folder, otherwise used from the apps.
_published = (APPLICATION_FOLDER / "staticfiles.json").is_file()
STATIC_ROOT = APPLICATION_FOLDER / "wwwroot" if _published else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "platform_site.site.web.static_files.PublishedFiles"
        if _published
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
# Those of added apps are not collected.
WHITENOISE_USE_FINDERS = not _published or bool(PLATFORM_APPS)
LANGUAGE_CODE = "en"
# Each named in its own language.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ru", "Русский")]
LOCALE_PATHS = [APPLICATION_FOLDER / "locale"]
FORMAT_MODULE_PATH = "platform_site.site.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = logging_settings(_settings)
LOGGING_CONFIG = logging_function(_settings)
