"use strict";

/* The menus above a list: a click elsewhere or the Escape key closes them. The Enter key
   in the box of a row selects nothing and sends nothing. */
{
    const open = () => document.querySelectorAll("details.list-menu[open]");
    // What is searched while typing is drawn outside of its menu.
    const within = "details.list-menu, .select2-container, .select2-dropdown";

    document.addEventListener("click", (event) => {
        // A choice that was just taken away is no longer in any menu.
        if (!event.target.isConnected) return;
        const inside = event.target.closest(within);
        for (const menu of open()) {
            if (!inside || (inside.matches("details") && inside !== menu)) {
                menu.open = false;
            }
        }
    });

    document.addEventListener("keydown", (event) => {
        const box = event.target.closest(".action-select, #action-toggle");
        if (event.key === "Enter" && box) event.preventDefault();
        if (event.key !== "Escape") return;
        for (const menu of open()) {
            menu.open = false;
            if (menu.contains(document.activeElement)) {
                menu.querySelector("summary").focus();
            }
        }
    });
}
