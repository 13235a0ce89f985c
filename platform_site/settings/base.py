"""Django's settings that hold in every environment: assignments from the one
configuration object, read by Django through the environment's own module."""

from __future__ import annotations

from typing import Any

from django.core.management.utils import get_random_secret_key

from platform_site.settings.configuration import APPLICATION_FOLDER, active

_configuration = active()
_settings = _configuration.settings

# The product
PLATFORM_CONFIGURATION = "Trade"
PLATFORM_CONFIGURATION_APPS = ["catalogs", "documents"]
PLATFORM_TIME_ZONE = _configuration.time_zone
PLATFORM_DATA_FOLDER = _configuration.data_folder
PLATFORM_BLOBS_FOLDER = _configuration.blobs_folder
PLATFORM_SEED_ADMIN_PASSWORD = _settings.text("Platform:Seed:AdminPassword")
PLATFORM_DEMO_SEED = _settings.switch("Demo:Seed")
IMPORTER = {
    "CONFIGURATION": PLATFORM_CONFIGURATION,
    "TIME_ZONE": PLATFORM_TIME_ZONE,
    "LOCK_FILE": _configuration.data_folder / "db" / ".import.lock",
    "RUNS_TO_KEEP": _settings.number("Import:RunsToKeep"),
    "MAX_PACKAGE_SIZE_BYTES": _settings.number("Import:MaxPackageSizeBytes"),
}

_licence_file = _settings.text("Licensing:LicenseFilePath")
LICENSING: dict[str, Any] = {
    # A relative path lies under the data folder (OPEN-84).
    "FILE": _configuration.data_folder / _licence_file if _licence_file else None,
    # Called so because Django's error page masks what is called a token.
    "TOKEN": _settings.text("Licensing:LicenseValue"),
}

# Apps, in the order their post-migrate receivers must run: accounts after everything
# that has permissions, demo after the accounts.
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_htmx",
    "platform_site",
    "importer",
    "licensing",
    "platform_site.changes",
    "platform_site.records",
    "catalogs",
    "documents",
    "platform_site.accounts",
    "demo",
]
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
DATABASES: dict[str, dict[str, Any]] = {
    "default": dict(_configuration.connection.entry)
}

# Requests
ROOT_URLCONF = "platform_site.urls"
ALLOWED_HOSTS = list(_settings.list("AllowedHosts"))
CSRF_TRUSTED_ORIGINS = list(_configuration.trusted_origins)
# Before the first start there is no key yet; what is signed until then need not last.
SECRET_KEY = _configuration.secret_key or get_random_secret_key()
MIDDLEWARE = [
    # First: probes call by address, over plain HTTP, and must not need a database.
    "platform_site.status.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "platform_site.changes.middleware.ActingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.SessionAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
}

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
STATIC_URL = "/static/"
# Until there is a published folder, files are served from where the apps keep them.
WHITENOISE_USE_FINDERS = True
LANGUAGE_CODE = "en"
LOCALE_PATHS = [APPLICATION_FOLDER / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Everything goes to standard error; the process manager collects it (OPEN-121).
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "platform": {"level": "INFO"},
        "importer": {"level": "INFO"},
        "django": {"level": "WARNING"},
    },
}
