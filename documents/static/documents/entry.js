"use strict";

/* The form of a document: the first field one fills has the focus, an item brings its
   price, unit and stock, amounts are live, and Enter leads from line to line. */
{
    const $ = django.jQuery;
    const PLACES = 4;
    const ONE = 10n ** BigInt(PLACES);

    /* Exact decimals as whole numbers of the last of four places; null for no number. */
    const parsed = (text) => {
        const match = /^\s*(\d{1,14})?(?:\.(\d{0,4}))?\s*$/.exec(text || "");
        if (!match || !(match[1] || match[2])) {
            return null;
        }
        return BigInt(match[1] || "0") * ONE + BigInt((match[2] || "").padEnd(PLACES, "0"));
    };

    const times = (quantity, price) => (quantity * price + ONE / 2n) / ONE;

    const trimmed = (text) => text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;

    const formatted = (value, digits) => {
        const places = `${value % ONE}`.padStart(PLACES, "0");
        const needed = Math.max(digits, places.replace(/0+$/, "").length);
        const whole = new Intl.NumberFormat(document.documentElement.lang).format(value / ONE);
        if (!needed) {
            return whole;
        }
        const shown = new Intl.NumberFormat(document.documentElement.lang);
        const point = shown.formatToParts(1.5).find((part) => part.type === "decimal").value;
        return whole + point + places.padEnd(needed, "0").slice(0, needed);
    };

    /* What is typed next takes the place of what is there. */
    const focus = (field) => {
        field.focus();
        if (field.select) {
            field.select();
        }
    };

    const answer = async (page, query) => {
        const found = await fetch(`${page.dataset.url}?${query}`, {
            headers: {"Accept": "application/json"},
            credentials: "same-origin",
        });
        return found.ok ? found.json() : null;
    };

    /* -- lines ---------------------------------------------------------------------- */

    class Lines {
        constructor(page, group) {
            this.page = page;
            this.group = group;
            this.known = new Map();
            this.currency = {code: "", digits: 2};
            $(group).on("change", "select[name$='-item']", (event) => this.chosen(event.target));
            $("#id_warehouse, #id_currency").on("change", () => this.ask());
            group.addEventListener("input", () => this.show());
            group.addEventListener("keydown", (event) => this.key(event));
            document.addEventListener("formset:removed", () => this.show());
            this.ask();
        }

        get rows() {
            return [...this.group.querySelectorAll("tr.form-row:not(.empty-form)")];
        }

        field(row, name) {
            return row.querySelector(`[name$='-${name}']`);
        }

        /* Ask once for the items that are not known yet, or again for all of them. */
        async ask(only) {
            const items = only || this.rows.map((row) => this.field(row, "item").value);
            const query = new URLSearchParams();
            for (const item of new Set(items.filter(Boolean))) {
                query.append("item", item);
            }
            for (const name of ["warehouse", "currency"]) {
                const field = document.getElementById(`id_${name}`);
                if (field && field.value) {
                    query.append(name, field.value);
                }
            }
            const found = await answer(this.page, query);
            if (found) {
                this.currency = found.currency || this.currency;
                for (const [item, facts] of Object.entries(found.items)) {
                    this.known.set(item, facts);
                }
            }
            this.show();
        }

        async chosen(select) {
            const row = select.closest("tr");
            const quantity = this.field(row, "quantity");
            if (select.value) {
                // After the search field has closed, and without waiting for the answer.
                setTimeout(() => focus(quantity));
                await this.ask([select.value]);
                const facts = this.known.get(select.value);
                const price = this.field(row, "price");
                const own = price.value && price.value !== price.dataset.filled;
                if (facts && facts.price !== null && !own) {
                    price.value = trimmed(facts.price);
                    price.dataset.filled = price.value;
                }
            }
            this.show();
        }

        show() {
            const taken = new Map();
            let total = 0n;
            for (const row of this.rows) {
                const item = this.field(row, "item").value;
                const facts = this.known.get(item) || {};
                const quantity = parsed(this.field(row, "quantity").value);
                const price = parsed(this.field(row, "price").value);
                const amount = quantity === null || price === null ? null : times(quantity, price);
                row.querySelector(".line-amount").textContent =
                    amount === null ? "" : formatted(amount, this.currency.digits);
                row.querySelector(".line-unit").textContent = facts.unit || "";
                total += amount || 0n;
                taken.set(item, (taken.get(item) || 0n) + (quantity || 0n));
                this.hint(row, facts, taken.get(item));
            }
            const sum = this.group.querySelector(".lines-total");
            const code = this.currency.code ? `\u00a0${this.currency.code}` : "";
            sum.textContent = formatted(total, this.currency.digits) + code;
        }

        hint(row, facts, taken) {
            const hint = row.querySelector(".line-hint");
            const stock = facts.stock ? parsed(facts.stock.replace("-", "")) : null;
            const left = stock !== null && facts.stock.startsWith("-") ? -stock : stock;
            const short = left !== null && taken > left && "takesStock" in this.page.dataset;
            hint.textContent = short ? `${this.page.dataset.short} ${facts.said}` : facts.said || "";
            hint.classList.toggle("is-short", short);
        }

        /* Enter goes to the next line, and adds one after the last. */
        key(event) {
            const row = event.target.closest("tr.form-row");
            if (event.key !== "Enter" || event.target.tagName !== "INPUT" || !row) {
                return;
            }
            event.preventDefault();
            const rows = this.rows;
            const place = rows.indexOf(row);
            if (place === rows.length - 1) {
                const add = this.group.querySelector(".add-row a");
                if (!add) {
                    return;
                }
                add.click();
            }
            const next = this.rows[place + 1];
            const shown = next && next.querySelector(".select2-selection");
            if (shown) {
                shown.focus();
            }
        }
    }

    /* -- the amount of a payment ------------------------------------------------------ */

    class Payment {
        constructor(page, amount) {
            this.page = page;
            this.amount = amount;
            this.hint = document.createElement("p");
            this.hint.className = "help payment-hint";
            this.hint.setAttribute("role", "status");
            (amount.closest(".flex-container") || amount).after(this.hint);
            amount.addEventListener("change", () => this.ask());
            $("#id_issue, #id_bank_account, #id_is_income").on("change", () => this.ask());
            this.ask();
        }

        async ask() {
            const query = new URLSearchParams({amount: this.amount.value});
            for (const name of ["issue", "bank_account"]) {
                const field = document.getElementById(`id_${name}`);
                if (field && field.value) {
                    query.append(name, field.value);
                }
            }
            const income = document.getElementById("id_is_income");
            if (income && !income.checked) {
                query.append("income", "no");
            }
            // An earlier question may be answered later than this one.
            const asked = this.asked = query;
            const found = query.has("issue") ? await answer(this.page, query) : null;
            if (asked !== this.asked) {
                return;
            }
            this.hint.textContent = found ? found.said : "";
            this.hint.classList.toggle("is-short", Boolean(found && found.differs));
        }
    }

    /* -- the start --------------------------------------------------------------------- */

    /* After Django has made the lines and the search fields. */
    $(() => {
        const page = document.getElementById("document-entry");
        if (!page) {
            return;
        }
        const group = document.querySelector(".document-lines-group");
        const amount = document.getElementById("id_amount");
        if (group) {
            new Lines(page, group);
        } else if (amount) {
            new Payment(page, amount);
        }
        const first = document.getElementById("id_counterparty");
        if (!("isNew" in page.dataset) || !first || document.querySelector(".errorlist")) {
            return;
        }
        // What is filled in already is only looked over.
        const shown = $(first).next(".select2-container").find(".select2-selection")[0];
        const next = amount || document.querySelector(".document-lines [name$='-quantity']");
        focus(first.value && next ? next : shown);
    });
}
