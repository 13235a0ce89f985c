"use strict";

// Shows the next runs while the schedule of a job is typed.
document.addEventListener("DOMContentLoaded", () => {
    const shown = document.getElementById("job-next-runs");
    const fields = ["cron", "interval_seconds", "time_zone"]
        .map((name) => document.getElementById(`id_${name}`));
    if (!shown || fields.includes(null)) {
        return;
    }
    let pause, asked = 0;

    const ask = async () => {
        const query = new URLSearchParams(fields.map((field) => [field.name, field.value]));
        const number = ++asked;
        const answer = await fetch(`${shown.dataset.url}?${query}`).catch(() => null);
        // Only the response to the last request counts.
        if (answer && answer.ok && number === asked) {
            shown.innerHTML = await answer.text();
        }
    };

    for (const field of fields) {
        field.addEventListener("input", () => {
            clearTimeout(pause);
            pause = setTimeout(ask, 300);
        });
    }
    if (fields[0].value || fields[1].value) {
        ask();
    }
});
