// The documentation of the API has dark colours, but waits for somebody to choose them.
"use strict";

{
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const show = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
    dark.addEventListener("change", show);
    show();
}
