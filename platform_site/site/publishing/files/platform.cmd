@echo off
rem Serves the platform; with words behind it, runs that command: platform backup
if defined PLATFORM_PYTHON (
    "%PLATFORM_PYTHON%" -I "%~dp0host.py" %*
) else (
    py -@VERSION@ -I "%~dp0host.py" %*
)
