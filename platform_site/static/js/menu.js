/* The menu: which areas are collapsed is remembered in this browser, and the current page
   is in view. Loaded right behind the menu. */
"use strict";
{
    const KEY = "platform.collapsed-areas";
    const menu = document.getElementById("nav-sidebar");
    const areas = [...menu.querySelectorAll("details[data-area]")];

    const remembered = () => {
        try {
            return new Set(JSON.parse(localStorage.getItem(KEY)) || []);
        } catch {
            return new Set();
        }
    };

    const collapsed = remembered();
    for (const area of areas) {
        area.open = "current" in area.dataset || !collapsed.has(area.dataset.area);
        area.querySelector("summary").addEventListener("click", () => {
            const names = remembered();
            // The click is handled before the area opens or closes.
            names[area.open ? "add" : "delete"](area.dataset.area);
            localStorage.setItem(KEY, JSON.stringify([...names]));
        });
    }

    const showCurrent = () =>
        menu.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    if (matchMedia("(min-width: 1025px)").matches) {
        showCurrent();
    }
    menu.addEventListener("toggle", showCurrent);
    // A drawer that is open while the window becomes wide would cover the page.
    matchMedia("(min-width: 1025px)").addEventListener("change", () => {
        if (menu.matches(":popover-open")) {
            menu.hidePopover();
        }
    });
}
