"use strict";

// Checks all rights of a work area, or none.
document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-rights]");
    if (button) {
        const boxes = button.closest(".rights-area").querySelectorAll("[type=checkbox]");
        for (const box of boxes) {
            box.checked = button.dataset.rights === "all";
        }
    }
});
