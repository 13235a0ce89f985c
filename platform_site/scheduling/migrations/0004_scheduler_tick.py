from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scheduling", "0003_quiet_executions"),
    ]

    operations = [
        migrations.CreateModel(
            name="SchedulerTick",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "default_permissions": (),
            },
        ),
    ]
