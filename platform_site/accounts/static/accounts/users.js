"use strict";

// Shows the fields that an answer needs: the passwords of a new account, and the time
// until which nobody signs in.
document.addEventListener("DOMContentLoaded", () => {
    const needs = [
        ["first_password", "typed", ["password1", "password2"]],
        ["sign_in", "later", ["not_before"]],
    ];
    for (const [question, answer, names] of needs) {
        const choices = document.querySelectorAll(`input[name="${question}"]`);
        const show = () => {
            const chosen = [...choices].find((choice) => choice.checked);
            for (const name of names) {
                const row = document.querySelector(`.form-row.field-${name}`);
                if (row) {
                    // What is wrong stays in sight.
                    row.hidden = chosen && chosen.value !== answer
                        && !row.querySelector(".errorlist");
                }
            }
        };
        for (const choice of choices) {
            choice.addEventListener("change", show);
        }
        if (choices.length) {
            show();
        }
    }
});
