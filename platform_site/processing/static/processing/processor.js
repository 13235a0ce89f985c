// Says which zone the reader's dates are in, and lets nobody press Execute twice.
"use strict";
{
    const form = document.getElementById("processor-form");
    form.elements.timeZone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
    form.addEventListener("submit", () => {
        const button = form.querySelector("input[type=submit]");
        const words = button.value;
        button.value = button.dataset.busy;
        button.disabled = true;
        // Whoever comes back to the page by the browser's history may press it again.
        window.addEventListener("pageshow", () => {
            button.value = words;
            button.disabled = false;
        });
    });
}
