// Applies the dark colours of the API documentation as the system prefers.
"use strict";

{
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const show = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
    dark.addEventListener("change", show);
    show();
}
