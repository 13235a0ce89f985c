"use strict";

/* A field to look a row up in is drawn anew by its library, which leaves its name out:
   a screen reader gets it back here. Runs after the library, whose order it shares. */
{
    const $ = django.jQuery;

    const nameAll = (within) => {
        for (const select of within.querySelectorAll("select.admin-autocomplete")) {
            const label = select.labels[0];
            const name = select.getAttribute("aria-label") || (label && label.textContent);
            const shown = $(select).next(".select2-container").find("[role=textbox]")[0];
            if (name && shown) {
                shown.setAttribute("aria-label", name.trim().replace(/:$/, ""));
            }
        }
    };

    $(() => nameAll(document));
    document.addEventListener("formset:added", (event) => nameAll(event.target));
}
