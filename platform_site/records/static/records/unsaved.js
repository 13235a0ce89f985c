"use strict";

// Asks before somebody leaves a form with input that isn't saved. Sending the form is no
// leaving; a form that was refused still has what wasn't saved.
window.addEventListener("load", () => {
    const form = document.querySelector(".change-form #content-main form[method=post][id]");
    if (form === null) {
        return;
    }
    const typed = () => new URLSearchParams(new FormData(form)).toString();
    const refused = form.querySelector(".errornote, .errorlist") !== null;
    const saved = refused ? null : typed();
    let isSent = false;
    form.addEventListener("submit", () => {
        isSent = true;
    });
    window.addEventListener("beforeunload", (event) => {
        if (!isSent && typed() !== saved) {
            event.preventDefault();
        }
    });
    // A page that comes back out of the cache of the browser may be left once more.
    window.addEventListener("pageshow", () => {
        isSent = false;
    });
});
