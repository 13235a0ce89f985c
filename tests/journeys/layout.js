// Returns what is wrong with the layout of a page, as sentences: an overflow, a column
// that is hidden in a box to scroll, and words that are broken over lines.
() => {
    const found = [];
    const name = (element) => {
        const id = element.id ? `#${element.id}` : "";
        const classes = [...element.classList].map((one) => `.${one}`).join("");
        return `${element.tagName.toLowerCase()}${id}${classes}`;
    };
    // Hidden from eyes and read out all the same, such as the heads of tables on phones.
    const isClipped = (element) => {
        for (let each = element; each; each = each.parentElement) {
            if (getComputedStyle(each).clipPath === "inset(50%)") {
                return true;
            }
        }
        return false;
    };
    const isShown = (element) => {
        const box = element.getBoundingClientRect();
        return !isClipped(element) && box.width > 1 && box.height > 1 && element.checkVisibility({
            opacityProperty: true, visibilityProperty: true,
        });
    };

    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) {
        const wide = [...document.body.querySelectorAll("*")].filter((element) =>
            isShown(element)
            && element.getBoundingClientRect().right > page.clientWidth + 1);
        const last = wide.at(-1);
        found.push(`overflows by ${page.scrollWidth - page.clientWidth}: `
            + (last ? name(last) : "nothing visible"));
    }

    for (const table of document.querySelectorAll("table")) {
        let box = table.parentElement;
        while (box && !/auto|scroll|hidden/.test(getComputedStyle(box).overflowX)) {
            box = box.parentElement;
        }
        if (box && isShown(table) && box.scrollWidth > box.clientWidth + 1) {
            found.push(`hides a column of ${name(table)} in ${name(box)}`);
        }
    }

    const words = /\p{L}{3,}/gu;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode;
        const parent = text.parentElement;
        // Identifiers and values of fields may be broken, words of a language not.
        if (!isShown(parent) || parent.closest(
            "code, pre, option, script, style, .visually-hidden, .select2-container")) {
            continue;
        }
        for (const match of text.data.matchAll(words)) {
            const range = document.createRange();
            range.setStart(text, match.index);
            range.setEnd(text, match.index + match[0].length);
            const lines = new Set(
                [...range.getClientRects()].map((box) => Math.round(box.top)));
            if (lines.size > 1) {
                found.push(`breaks ${match[0]} in ${name(parent)}`);
            }
        }
    }
    return [...new Set(found)];
}
