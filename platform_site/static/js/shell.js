/* The person menu: it closes like a menu, chooses the theme, and offers the time zone of
   the browser. */
"use strict";
{
    const menu = document.querySelector(".person-menu");

    const close = (event) => {
        if (event.type === "keydown") {
            if (event.key !== "Escape" || !menu.open) {
                return;
            }
            menu.open = false;
            menu.querySelector("summary").focus();
        } else if (!menu.contains(event.target)) {
            menu.open = false;
        }
    };

    const showTheme = (buttons) => {
        const chosen = localStorage.getItem("theme") || "auto";
        for (const button of buttons) {
            button.setAttribute("aria-pressed", button.dataset.setTheme === chosen);
        }
    };

    const offerZone = () => {
        const offer = menu.querySelector(".zone-offer");
        const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
        const known = menu.querySelector("[data-zone]").dataset.zone;
        if (here && here !== known) {
            offer.value = here;
            offer.textContent = offer.dataset.template.replace("{zone}", here);
            offer.hidden = false;
        }
    };

    if (menu) {
        document.addEventListener("keydown", close);
        document.addEventListener("click", close);
        document.addEventListener("focusin", close);
        const buttons = [...menu.querySelectorAll("[data-set-theme]")];
        for (const button of buttons) {
            button.addEventListener("click", () => {
                // Where Django's own theme.js keeps it.
                localStorage.setItem("theme", button.dataset.setTheme);
                document.documentElement.dataset.theme = button.dataset.setTheme;
                showTheme(buttons);
            });
        }
        showTheme(buttons);
        offerZone();
    }
}
