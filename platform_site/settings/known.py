"""The declared table of every setting; the loader types values by it, and the
settings page of the documentation is made from it."""

from __future__ import annotations

from typing import Final

from platform_site.settings.known_work import OF_THE_WORK
from platform_site.settings.setting import Setting, SettingKind

_TEXT, _NUMBER, _SWITCH = SettingKind.TEXT, SettingKind.WHOLE_NUMBER, SettingKind.SWITCH
_DURATION, _LIST = SettingKind.DURATION, SettingKind.LIST

KNOWN: Final[tuple[Setting, ...]] = (
    # Where the server listens (HOST-025, OPEN-92, OPEN-102)
    Setting(
        "Urls",
        _TEXT,
        "",
        "Addresses to listen on, separated by semicolons; "
        "http://localhost:5000 when neither this nor a port list is set.",
        host_variable="ASPNETCORE_URLS",
    ),
    Setting(
        "Http_Ports",
        _LIST,
        "",
        "Ports for plain HTTP on every address, used when no address is set.",
        host_variable="ASPNETCORE_HTTP_PORTS",
    ),
    Setting(
        "Https_Ports",
        _LIST,
        "",
        "Ports for HTTPS on every address, used when no address is set.",
        host_variable="ASPNETCORE_HTTPS_PORTS",
    ),
    Setting(
        "Https_Port",
        _NUMBER,
        "",
        "Port that plain HTTP requests are redirected to.",
        minimum=1,
        host_variable="ASPNETCORE_HTTPS_PORT",
    ),
    Setting(
        "ForwardedHeaders_Enabled",
        _SWITCH,
        "false",
        "Read for compatibility; proxies are trusted by Platform:Proxy:Trusted.",
        host_variable="ASPNETCORE_FORWARDEDHEADERS_ENABLED",
    ),
    Setting(
        "Kestrel:Certificates:Default:Path",
        _TEXT,
        "",
        "PEM file with the certificate chain of https addresses.",
    ),
    Setting(
        "Kestrel:Certificates:Default:KeyPath",
        _TEXT,
        "",
        "PEM file with the private key of that certificate.",
    ),
    Setting(
        "AllowedHosts",
        _LIST,
        "*",
        "Host names the site answers to, separated by semicolons; * means any.",
    ),
    # Database (HOST-036, HOST-037)
    Setting("Provider", _TEXT, "Sqlite", "Database: Sqlite, PostgreSql or SqlServer."),
    Setting(
        "ConnectionStrings:Sqlite",
        _TEXT,
        "Data Source=./db/platform.db",
        "SQLite database; a relative path is relative to the data folder.",
        secret=True,
    ),
    Setting(
        "ConnectionStrings:PostgreSql",
        _TEXT,
        "",
        "PostgreSQL database: Host=, Port=, Database=, Username=, Password=, "
        "or a postgres:// address.",
        secret=True,
    ),
    Setting(
        "ConnectionStrings:SqlServer",
        _TEXT,
        "",
        "SQL Server database: Server=, Database=, User Id=, Password=.",
        secret=True,
    ),
    # The installation
    Setting(
        "Platform:DataPath",
        _TEXT,
        "",
        "The one folder all local state lives under; the application folder when "
        "not set, and a relative path is relative to that one.",
    ),
    Setting(
        "Platform:Disk:WarnBelowBytes",
        _NUMBER,
        "",
        "Free bytes of a disk below which the start page warns; when not set, twice "
        "the size of a SQLite database, and 1 GB at least.",
        minimum=0,
    ),
    Setting(
        "Platform:HostDataPath",
        _TEXT,
        "",
        "Data folder offered by a special host, used when Platform:DataPath is not "
        "set.",
    ),
    Setting(
        "Platform:SecretKey",
        _TEXT,
        "",
        "Key for sessions and forms; derived from the signing key when not set.",
        secret=True,
    ),
    Setting(
        "Platform:TimeZone",
        _TEXT,
        "UTC",
        "Time zone (IANA name) where neither a call nor a user's profile has one.",
    ),
    Setting(
        "Platform:Seed:AdminPassword",
        _TEXT,
        "",
        "First password of the account admin; used only when the account is created.",
        secret=True,
    ),
    Setting(
        "Platform:Database:BackupsToKeep",
        _NUMBER,
        "5",
        "Number of SQLite backups kept; 0 turns them off.",
        minimum=0,
    ),
    Setting(
        "Platform:Database:StatementTimeout",
        _NUMBER,
        "30",
        "Seconds after which a statement of a request is ended, with PostgreSQL; "
        "imports, jobs and commands have no such limit.",
        minimum=1,
    ),
    Setting(
        "Platform:Database:LockTimeout",
        _NUMBER,
        "10",
        "Seconds a request waits for what another transaction has locked, with "
        "PostgreSQL.",
        minimum=1,
    ),
    Setting(
        "Platform:Database:ResetToken",
        _TEXT,
        "",
        "A value not used before resets the SQLite database once.",
        # Not a secret: it opens nothing, and the record file holds it in clear text.
    ),
    Setting(
        "Platform:Database:IncompatibleHistory",
        _TEXT,
        "",
        "Reset: a SQLite database with unknown migrations is saved and recreated.",
    ),
    Setting(
        "Platform:Sessions:IdleTimeout",
        _DURATION,
        "12:00:00",
        "How long somebody stays signed in to the pages without using them.",
    ),
    Setting(
        "Platform:Sessions:Lifetime",
        _DURATION,
        "14.00:00:00",
        "How long somebody stays signed in to the pages in any case.",
    ),
    Setting(
        "Platform:Database:MustExist",
        _SWITCH,
        "false",
        "Whether a missing database is refused instead of created; for all starts but "
        "the first.",
    ),
    Setting(
        "Platform:Database:SeveralNodes",
        _SWITCH,
        "false",
        "Whether several servers share one PostgreSQL database; without it a second "
        "one is refused.",
    ),
    Setting(
        "Platform:Jobs:ExecutionsToKeep",
        _NUMBER,
        "100",
        "Newest executions kept per scheduled job; 0 keeps all.",
        minimum=0,
    ),
    Setting(
        "Platform:Swagger:Enabled",
        _SWITCH,
        "true",
        "Whether the interactive API documentation is served.",
    ),
    Setting(
        "Platform:Cors:AllowedOrigins",
        _LIST,
        "",
        "Sites on other origins that browsers may call the API from; * is ignored.",
    ),
    Setting(
        "Platform:Csrf:TrustedOrigins",
        _LIST,
        "",
        "Origins whose forms are accepted besides the site's own, with http(s)://.",
    ),
    Setting(
        "Platform:Proxy:Trusted",
        _LIST,
        "127.0.0.1;::1",
        "Addresses or networks of proxies whose forwarded headers are trusted.",
    ),
    Setting(
        "Platform:Server:SpoolBytes",
        _NUMBER,
        "536870912",
        "Bytes that uploads and responses in transit may use "
        "under the data folder, all together; at least 64 MiB, so that a large one "
        "fits.",
        minimum=64 << 20,
    ),
    # Tokens (HOST-040 .. HOST-045)
    Setting(
        "JwtOptions:Secret",
        _TEXT,
        "",
        "Signing key of login tokens; wins over the generated key.",
        secret=True,
    ),
    Setting("JwtOptions:Issuer", _TEXT, "platform", "Issuer of login tokens."),
    Setting("JwtOptions:Audience", _TEXT, "platform", "Audience of login tokens."),
    Setting(
        "JwtOptions:Expires", _DURATION, "1.00:00:00", "Lifetime of a login token."
    ),
    Setting(
        "JwtOptions:RefreshExpiresToken",
        _DURATION,
        "14.00:00:00",
        "Lifetime of a refresh token.",
    ),
    # The log (OPEN-121)
    Setting(
        "Logging:Format",
        _TEXT,
        "text",
        "Format of the log: text for people, or json with one object per line.",
        choices=("text", "json"),
    ),
    Setting(
        "Logging:Access",
        _SWITCH,
        "true",
        "Whether the log has a line for each HTTP response.",
    ),
    *OF_THE_WORK,
)
