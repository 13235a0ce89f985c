"use strict";

// Shows the next runs while the schedule of a job is typed, and the rights that its
// account lacks.
document.addEventListener("DOMContentLoaded", () => {
    const shown = document.getElementById("job-next-runs");
    const fields = ["cron", "interval_seconds", "time_zone"]
        .map((name) => document.getElementById(`id_${name}`));
    if (!shown || fields.includes(null)) {
        return;
    }
    const choices = ["processor", "run_as"]
        .map((name) => document.getElementById(`id_${name}`))
        .filter((field) => field !== null);
    let pause, asked = 0;

    const ask = async () => {
        const typed = fields[0].value || fields[1].value ? fields : [];
        const query = new URLSearchParams(
            [...typed, ...choices].map((field) => [field.name, field.value]));
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
    for (const field of choices) {
        field.addEventListener("change", ask);
    }
    if (fields[0].value || fields[1].value || choices.every((field) => field.value)) {
        ask();
    }
});
