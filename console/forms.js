/** Forms of what is granted: a filter that follows what is typed, a summary that follows what is ticked, texts to copy. */

const WAIT_MS = 250;

for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.parentElement.querySelector("code");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: copy it with the keyboard";
    }
  });
}

for (const form of document.querySelectorAll("form.grant")) follow(form);

/** What the form's own buttons show by a page of their own is fetched, and put in the place of what is shown. */
function follow(form) {
  let edits = 0; // what was ticked meanwhile is never undone by an answer
  let clock = 0;
  let asked = 0;
  let turn = Promise.resolve();

  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picker] button");
    if (button === null) return;
    event.preventDefault();
    ask(button.name, button.value, button.closest("[data-picker]"), button);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !isFilter(event.target)) return;
    event.preventDefault();
    find(event.target);
  });
  form.addEventListener("input", (event) => {
    clearTimeout(clock);
    if (isFilter(event.target)) clock = setTimeout(() => find(event.target), WAIT_MS);
    else clock = setTimeout(() => ask("look", "1", null), WAIT_MS);
  });
  form.addEventListener("change", () => void edits++);

  const isFilter = (field) => field.matches("[data-picker] .filters input");
  const find = (field) => {
    const picker = field.closest("[data-picker]");
    ask(`${picker.dataset.picker}_go`, "find", picker);
  };

  /** One after the other: what a button did is there when the next question is put. */
  function ask(name, value, picker, button) {
    clearTimeout(clock);
    const mine = ++asked;
    turn = turn.then(() => {
      const isOld = mine !== asked && button === undefined;
      return isOld ? undefined : look(name, value, picker, button);
    });
  }

  async function look(name, value, picker, button) {
    const before = edits;
    const body = new URLSearchParams(new FormData(form));
    body.set(name, value);
    const page = await fetch(form.action, { method: "POST", body, redirect: "error" })
      .then((answer) => answer.ok || answer.status === 422 ? answer.text() : null, () => null);
    const shown = page && new DOMParser().parseFromString(page, "text/html").querySelector("form.grant");
    // A session that has ended, a gateway that is away: the page itself says so, and keeps what was typed.
    if (!shown) return button && form.requestSubmit(button);
    if (before !== edits) return await look(name, value, picker, button);
    put(form.querySelector("[data-summary]"), shown.querySelector("[data-summary]"));
    if (picker) replace(picker, shown.querySelector(`[data-picker="${picker.dataset.picker}"]`), value);
  }
}

function put(place, from) {
  if (place && from) place.textContent = from.textContent;
}

/** The list anew; who types goes on typing, and who pressed a button finds it where it was. */
function replace(picker, from, verb) {
  if (!from) return;
  const focused = document.activeElement;
  const at = picker.contains(focused) ? [focused.id, focused.name, focused.value] : null;
  const filter = picker.querySelector(".filters input");
  const [text, start, end] = filter ? [filter.value, filter.selectionStart, filter.selectionEnd] : [];
  picker.replaceChildren(...from.childNodes);
  const next = picker.querySelector(".filters input");
  if (next && verb === "find") next.value = text; // what was typed meanwhile
  if (at === null) return;
  const [id, name, value] = at;
  if (next && id === next.id) {
    next.focus();
    next.setSelectionRange(start, end);
    return;
  }
  const same = [...picker.querySelectorAll("button, input")].find((one) =>
    one.name === name && one.value === value
  );
  (same ?? picker.querySelector("button, input:not([type=hidden])"))?.focus();
}
