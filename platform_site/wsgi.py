"""The WSGI entry point for a server other than `manage.py serve`, which runs the startup
sequence and keeps a second process off the data folder; here neither happens."""

from __future__ import annotations

import logging
import os

from django.core.wsgi import get_wsgi_application

from platform_site.settings.apps import set_up
from platform_site.settings.choice import choose
from platform_site.settings.data_folder import keep_private

keep_private()
choose(os.environ)
set_up()
application = get_wsgi_application()
logging.getLogger("platform.host").warning(
    "Served without 'manage.py serve': run 'manage.py startup' before each start, and "
    "exactly one process on a data folder."
)
