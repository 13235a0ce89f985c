from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0009_progress_of_documents"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="ledgerentry", name="ledger_sums"),
        migrations.AddIndex(
            model_name="ledgerentry",
            index=models.Index(
                fields=[
                    "role",
                    "account",
                    "counterparty",
                    "currency",
                    "date",
                    "debit",
                    "credit",
                    "document_type",
                ],
                name="ledger_sums",
            ),
        ),
    ]
