"use strict";

/* Opens the print dialogue of the browser, at once and with the button. */
{
    document.getElementById("print").addEventListener("click", () => window.print());
    window.addEventListener("load", () => window.print(), {once: true});
}
