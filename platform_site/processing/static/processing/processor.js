// Sends the reader's time zone, and prevents pressing Execute twice.
"use strict";
{
    const form = document.getElementById("processor-form");
    form.elements.timeZone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
    form.addEventListener("submit", () => {
        const button = form.querySelector("input[type=submit]");
        const words = button.value;
        button.value = button.dataset.busy;
        button.disabled = true;
        // After going back in the browser's history it can be pressed again.
        window.addEventListener("pageshow", () => {
            button.value = words;
            button.disabled = false;
        });
    });
}
