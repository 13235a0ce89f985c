"""People with and without the right to execute a processor."""

from __future__ import annotations

import itertools

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType

from platform_site.accounts.models import User
from platform_site.processing.models import Processor
from platform_site.processing.rights import codename

_numbers = itertools.count(1)


def a_person(**attributes):
    """Return a signed-up person without any right."""
    return User.objects.create_user(f"person{next(_numbers)}", **attributes)


def somebody_who_may(processor, **attributes):
    """Return a person who may execute a processor, and nothing else."""
    person = a_person(**attributes)
    allow(person, processor)
    return person


def allow(person, processor):
    """Give a person the right to execute a processor."""
    right, _ = Permission.objects.get_or_create(
        content_type=ContentType.objects.get_for_model(Processor),
        codename=codename(processor),
    )
    person.user_permissions.add(right)


def an_uploader(**attributes):
    """Return a person who may upload files, and nothing else."""
    person = a_person(**attributes)
    person.user_permissions.add(Permission.objects.get(codename="add_storedfile"))
    return person
