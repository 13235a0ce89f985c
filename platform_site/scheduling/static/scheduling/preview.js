"use strict";

// Shows the fields that the chosen kind of schedule needs, the next runs while they are
// typed, and the rights that the job's account lacks.
document.addEventListener("DOMContentLoaded", () => {
    const shown = document.getElementById("job-next-runs");
    const when = document.getElementById("id_when");
    if (!shown || !when) {
        return;
    }
    const form = when.form;
    const needed = JSON.parse(shown.dataset.needed);
    const names = new Set(Object.values(needed).flat());
    const choices = ["processor", "run_as"].filter((name) => form.elements[name]);
    let pause, asked = 0;

    const showNeeded = () => {
        for (const name of names) {
            const row = form.querySelector(`.form-row.field-${name}`);
            // What is wrong stays in sight.
            row.hidden = !needed[when.value].includes(name)
                && !row.querySelector(".errorlist");
        }
    };

    const ask = async () => {
        const typed = new FormData(form);
        const query = new URLSearchParams();
        for (const name of ["when", ...names, "time_zone", ...choices]) {
            for (const value of typed.getAll(name)) {
                query.append(name, value);
            }
        }
        const number = ++asked;
        const answer = await fetch(`${shown.dataset.url}?${query}`).catch(() => null);
        // Only the response to the last request counts.
        if (answer && answer.ok && number === asked) {
            shown.innerHTML = await answer.text();
        }
    };

    form.addEventListener("input", (event) => {
        const name = event.target.name;
        if (name === "when") {
            showNeeded();
        }
        if (name === "when" || name === "time_zone" || names.has(name)) {
            clearTimeout(pause);
            pause = setTimeout(ask, 300);
        }
    });
    for (const name of choices) {
        form.elements[name].addEventListener("change", ask);
    }
    showNeeded();
    ask();
});
