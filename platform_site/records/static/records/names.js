"use strict";

/* The library replaces a search field and leaves out its name:
   this adds the name again for screen readers. Runs after the library. */
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
