"use strict";

/* The keyboard of the search above all pages: "/" and Ctrl-K lead into the box, the arrow
   keys through what was found, Enter opens it, and Escape closes the list. */
document.addEventListener("DOMContentLoaded", () => {
    const box = document.querySelector("[data-search]");
    if (!box) {
        return;
    }
    const input = box.querySelector("[role=combobox]");
    const suggestions = box.querySelector(".search-suggestions");
    const status = box.querySelector("[data-search-status]");
    const opener = box.querySelector("[data-search-open]");
    const options = () => [...suggestions.querySelectorAll("[role=option]")];
    const chosen = () => suggestions.querySelector("[aria-selected=true]");

    const choose = (option) => {
        chosen()?.setAttribute("aria-selected", "false");
        if (!option) {
            input.removeAttribute("aria-activedescendant");
            return;
        }
        option.setAttribute("aria-selected", "true");
        input.setAttribute("aria-activedescendant", option.id);
        option.scrollIntoView({block: "nearest"});
    };

    const show = (open) => {
        const shown = open && input.value.trim() !== "" && suggestions.childElementCount > 0;
        suggestions.hidden = !shown;
        input.setAttribute("aria-expanded", String(shown && options().length > 0));
        if (!shown) {
            choose(null);
        }
    };

    const open = () => {
        box.classList.add("is-open");
        input.focus();
        input.select();
        show(true);
    };

    const close = () => {
        show(false);
        const wasSheet = box.classList.contains("is-open");
        box.classList.remove("is-open");
        if (wasSheet && opener.checkVisibility()) {
            opener.focus();
        }
    };

    const step = (by) => {
        const all = options();
        if (all.length === 0) {
            return;
        }
        const at = all.indexOf(chosen());
        // From the last one, and from the first upwards, back into the box.
        const next = at < 0 && by < 0 ? all.length - 1 : at + by;
        choose(all[next] ?? null);
    };

    const keys = {
        ArrowDown: () => (suggestions.hidden ? show(true) : step(1)),
        ArrowUp: () => step(-1),
        Escape: close,
        Enter: () => chosen()?.click(),
    };

    input.addEventListener("keydown", (event) => {
        const act = keys[event.key];
        if (!act || event.isComposing || (event.key === "Enter" && !chosen())) {
            return;
        }
        event.preventDefault();
        act();
    });

    input.addEventListener("focus", () => show(true));
    input.addEventListener("input", () => choose(null));

    suggestions.addEventListener("htmx:afterSwap", () => {
        options().forEach((option, at) => {
            option.id = `search-option-${at}`;
        });
        show(box.contains(document.activeElement));
        status.textContent = suggestions.querySelector("[data-search-says]")?.textContent ?? "";
    });

    box.addEventListener("focusout", (event) => {
        if (!box.contains(event.relatedTarget)) {
            show(false);
        }
    });
    // Otherwise the box would lose the focus, and the list close before the click.
    suggestions.addEventListener("mousedown", (event) => event.preventDefault());

    opener.addEventListener("click", (event) => {
        event.preventDefault();
        open();
    });
    box.querySelector("[data-search-close]").addEventListener("click", close);

    document.addEventListener("keydown", (event) => {
        const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
        const isSlash = event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
        const isControlK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
        if (isSlash || isControlK) {
            event.preventDefault();
            open();
        }
    });
});
