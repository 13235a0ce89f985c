"""The form of a job: processors, schedules and time zones by name, and the processor's
own input."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.accounts.delegation import covers_account
from platform_site.accounts.forms import time_zone_choices
from platform_site.accounts.models import User
from platform_site.changes.context import current
from platform_site.changes.edit_conflicts import SeenForm
from platform_site.processing.registry import processors
from platform_site.processing.services import title_of
from platform_site.processing.uploads import needs_file
from platform_site.scheduling.input_field import InputField
from platform_site.scheduling.input_widget import ProcessorInput
from platform_site.scheduling.models import Job
from platform_site.scheduling.presets import preset_of
from platform_site.scheduling.schedule_form import ScheduleForm


def _processors(kept: str = "") -> list[tuple[str, Any]]:
    """Return the choices of processors: those that need no file, and the one that the
    job names, even a removed one."""
    found = processors()
    offered: list[tuple[str, Any]] = [
        (name, title_of(name))
        for name, each in found.items()
        if name == kept or not needs_file(each)
    ]
    if kept and kept not in found:
        offered.append((kept, _("%(name)s (no longer exists)") % {"name": kept}))
    return [("", "---------"), *offered]


class JobForm(SeenForm, ScheduleForm, forms.ModelForm[Job]):
    """The form of a job."""

    processor = forms.ChoiceField(
        label=_("Data processor"),
        help_text=_(
            "Choose one that fetches its own data: a scheduled job can't choose a file."
        ),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=time_zone_choices,
        required=False,
        help_text=_(
            "The cron expression, and the dates the processor reads, are in this zone."
        ),
    )

    grant = forms.BooleanField(
        label=_("Grant missing rights"),
        required=False,
        help_text=_(
            "Gives the account what it lacks for this data processor, by a role that "
            "is called as the right to execute it."
        ),
    )

    class Meta:
        model = Job
        field_classes = {"input": InputField}
        fields = (
            "name",
            "processor",
            "input",
            "run_as",
            "enabled",
            "cron",
            "interval_seconds",
            "time_zone",
        )
        widgets = {
            "input": ProcessorInput(attrs={"rows": 4, "class": "vLargeTextField"})
        }
        help_texts = {
            "input": "",
            "cron": _(
                "Five parts: minute, hour, day of the month, month, day of the week. "
                "“0 2 * * *” is every day at 02:00, “*/10 * * * *” every ten minutes, "
                "“30 6 * * 1-5” at 06:30 from Monday to Friday, “0 0 1 * *” the first "
                "of each month."
            ),
            "interval_seconds": _(
                "600 is every ten minutes, 86400 every 24 hours, counted from when the "
                "schedule was saved."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A read-only form has none of these fields.
        if "processor" in self.fields:
            kept = self.instance.processor
            self.fields["processor"].choices = _processors(kept)  # type: ignore[attr-defined]
            self.fields["processor"].widget.attrs |= {
                "hx-post": reverse_lazy("admin:scheduling_job_input"),
                "hx-target": "#job-input",
                "hx-swap": "outerHTML",
            }
        if "input" in self.fields:
            widget: Any = self.fields["input"].widget
            widget.processor = str(self["processor"].value() or "")
        if "run_as" in self.fields:
            self._offer_accounts(self.fields["run_as"])
        job = self.instance
        cron = job.cron or str(self.initial.get("cron") or "")
        for name, value in preset_of(cron, job.interval_seconds).items():
            self.initial.setdefault(name, value)

    def _offer_accounts(self, field: Any) -> None:
        """Offer the accounts that the reader may see, and the job's own."""
        scheduler = User.objects.filter(username=JOBS_SCHEDULER).first()
        if self.instance.pk is None:
            field.initial = scheduler
        reader = current().user
        if reader is None or reader.has_perm("accounts.view_user"):  # type: ignore[attr-defined]
            return
        known = {reader.pk, self.instance.run_as_id, getattr(scheduler, "pk", None)}
        field.queryset = field.queryset.filter(pk__in=known - {None})

    def clean_run_as(self) -> Any:
        """Refuse an account with more rights than the actor, also an unchanged one."""
        chosen = self.cleaned_data["run_as"]
        before = (
            Job.objects.filter(pk=self.instance.pk).select_related("run_as").first()
        )
        for user in (before.run_as if before else None, chosen):
            if user is not None and not covers_account(user):
                sentence = _(
                    "“%(user)s” has more rights than you; ask an administrator to set "
                    "up this job."
                )
                raise ValidationError(sentence, code="beyond", params={"user": user})
        return chosen

    def clean_input(self) -> Any:
        """Accept an empty field as an empty input."""
        given = self.cleaned_data["input"]
        return {} if given is None else given
