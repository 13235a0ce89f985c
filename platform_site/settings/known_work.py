"""The settings of what the product works with, declared for the one table in `known`:
files, reports, the licence, imports and demo data."""

from __future__ import annotations

from typing import Final

from platform_site.settings.setting import Setting, SettingKind

_TEXT, _NUMBER, _SWITCH = SettingKind.TEXT, SettingKind.WHOLE_NUMBER, SettingKind.SWITCH
_LIST = SettingKind.LIST

OF_THE_WORK: Final[tuple[Setting, ...]] = (
    # Apps of one's own
    Setting(
        "Platform:Apps",
        _LIST,
        "",
        "Apps added to the product, each by the name it is imported by.",
    ),
    Setting(
        "Platform:AppsPath",
        _TEXT,
        "apps",
        "Folder of those apps; a relative path is relative to the data folder.",
    ),
    # Files, features, reports, licence
    Setting(
        "BlobStorage:LocalDiskRootPath",
        _TEXT,
        "blobs",
        "Folder of attachments; a relative path is relative to the data folder.",
    ),
    Setting(
        "BlobStorage:MaxFileSizeBytes",
        _NUMBER,
        "52428800",
        "Largest uploaded file in bytes.",
        minimum=1,
    ),
    Setting(
        "BlobStorage:MaxBytesPerUser",
        _NUMBER,
        "524288000",
        "Bytes a user may have in uploaded files that nothing uses; 0 for any number.",
        minimum=0,
    ),
    Setting(
        "FeatureManagement:*",
        _SWITCH,
        "",
        "Feature flags, each by its name; the product defines none.",
    ),
    Setting(
        "ReportResultCache:TtlSeconds",
        _NUMBER,
        "300",
        "Seconds a report result is kept; 0 turns the cache off.",
        minimum=0,
    ),
    Setting(
        "ReportResultCache:MaxEntries",
        _NUMBER,
        "100",
        "Number of report results kept.",
        minimum=1,
    ),
    Setting(
        "Licensing:LicenseFilePath",
        _TEXT,
        "",
        "File that holds the licence; a relative path is relative to the data folder.",
    ),
    Setting(
        "Licensing:LicenseValue",
        _TEXT,
        "",
        "The licence itself; the file wins when both are set.",
        secret=True,
        may_be_unreadable=True,
    ),
    # Imports and demo data
    Setting(
        "Import:MaxPackageSizeBytes",
        _NUMBER,
        "52428800",
        "Largest uploaded package in bytes.",
        minimum=1,
    ),
    Setting(
        "Import:RunsToKeep",
        _NUMBER,
        "0",
        "Newest import runs kept per package; 0 keeps all.",
        minimum=0,
    ),
    Setting(
        "Import:Sources:*:Url",
        _TEXT,
        "",
        "Address (https) a named source of packages is fetched from.",
        secret=True,
    ),
    Setting(
        "Import:Sources:*:Token",
        _TEXT,
        "",
        "Bearer token that source asks for.",
        secret=True,
    ),
    Setting(
        "Import:AllowPrivateAddresses",
        _SWITCH,
        "false",
        "Whether a source may be on this computer or in a private network.",
    ),
    Setting(
        "Demo:Seed",
        _SWITCH,
        "false",
        "Whether a fresh installation receives the demo data.",
    ),
)
