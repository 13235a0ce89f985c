/* The scripts of the import page beyond htmx: times in the reader's zone,
   the chosen file, and texts for screen readers. The page also works without them. */
"use strict";

(() => {
    const language = document.documentElement.lang || undefined;
    const full = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
    const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    const size = (unit) => new Intl.NumberFormat(
        language, { maximumFractionDigits: 1, style: "unit", unit });
    const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
    const MONTH = 30 * 86400;

    function inWords(moment) {
        const seconds = (moment - Date.now()) / 1000;
        if (Math.abs(seconds) > MONTH) {
            return full.format(moment);
        }
        const [unit, length] = UNITS.find(([, one]) => Math.abs(seconds) >= one) || UNITS[3];
        return relative.format(Math.round(seconds / length), unit);
    }

    function tellMoments(root) {
        for (const element of root.querySelectorAll("time[datetime]")) {
            const moment = new Date(element.dateTime);
            element.textContent = inWords(moment);
            element.title = full.format(moment);
        }
    }

    function tellZone(root) {
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        if (!zone) {
            return;
        }
        for (const input of root.querySelectorAll("input[data-browser-zone]")) {
            input.value = zone;
        }
        for (const element of root.querySelectorAll("[data-zone-shown]")) {
            element.textContent = zone;
        }
    }

    function offerCopies(root) {
        for (const button of root.querySelectorAll("button[data-copy]")) {
            button.hidden = !navigator.clipboard;
        }
    }

    /* Progress is announced in quarters: every second would drown out everything else. */
    let announced = null;
    function announce(root) {
        const live = document.getElementById("import-live");
        const place = root.querySelector("[data-announce]");
        if (!live || !place) {
            return;
        }
        const value = place.dataset.announce;
        const step = value === "" || isNaN(value) ? value : Math.floor(value / 25);
        if (step !== announced) {
            announced = step;
            live.textContent = place.textContent;
        }
    }

    /* The upload: another file replaces the one that was run dry. */
    function bytes(count) {
        return count < 1048576
            ? size("kilobyte").format(count / 1024)
            : size("megabyte").format(count / 1048576);
    }

    function fileChosen(form) {
        const [file] = form.elements.file.files;
        if (!file) {
            return;
        }
        const trouble = form.querySelector("[data-file-trouble]");
        const tooLarge = file.size > Number(form.dataset.largest);
        form.querySelector("[data-file-name]").textContent = file.name;
        form.querySelector("[data-file-note]").textContent = bytes(file.size);
        trouble.textContent = tooLarge ? form.dataset.tooLarge : "";
        trouble.hidden = !tooLarge;
        const [dryRun, start] = form.querySelectorAll("button[name=action]");
        dryRun.disabled = tooLarge;
        if (!start) {
            return;
        }
        start.disabled = true;
        document.querySelectorAll(".imp-primary").forEach((button) => {
            button.classList.remove("imp-primary");
        });
        dryRun.classList.add("imp-primary");
        const hint = form.querySelector("[data-not-planned]");
        hint.textContent = hint.dataset.notPlanned;
    }

    function takeDrops(form) {
        const place = form.querySelector(".imp-drop");
        const over = (event, on) => {
            event.preventDefault();
            place.classList.toggle("imp-over", on);
        };
        place.addEventListener("dragover", (event) => over(event, true));
        place.addEventListener("dragleave", (event) => over(event, false));
        place.addEventListener("drop", (event) => {
            over(event, false);
            if (event.dataTransfer.files.length) {
                form.elements.file.files = event.dataTransfer.files;
                fileChosen(form);
            }
        });
        form.elements.file.addEventListener("change", () => fileChosen(form));
        fileChosen(form);
    }

    /* One start per press: the buttons are disabled until the response. */
    function rest(form) {
        const waiting = [...form.querySelectorAll("button:not(:disabled)")];
        setTimeout(() => waiting.forEach((button) => { button.disabled = true; }), 0);
        addEventListener("pageshow", () => {
            waiting.forEach((button) => { button.disabled = false; });
        }, { once: true });
    }

    document.addEventListener("submit", (event) => {
        if (event.target.matches("form[data-start]")) {
            rest(event.target);
        }
    });
    document.addEventListener("change", (event) => {
        const form = event.target.form;
        if (event.target.matches("select") && form && form.matches("[data-submit-on-change]")) {
            form.requestSubmit();
        }
    });
    document.addEventListener("click", (event) => {
        const button = event.target.closest("button[data-copy]");
        if (button) {
            navigator.clipboard.writeText(button.dataset.copy).then(() => {
                button.textContent = button.dataset.copied;
            }, () => {});
        }
    });

    function prepare(root) {
        tellMoments(root);
        offerCopies(root);
    }

    document.addEventListener("htmx:afterSettle", () => {
        prepare(document);
        announce(document);
    });
    prepare(document);
    tellZone(document);
    document.querySelectorAll("form[data-upload]").forEach(takeDrops);
})();
