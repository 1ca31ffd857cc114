/** Docs: puts the reference of the package in the place of the plain list, once it is there. */

const place = document.getElementById("reference");
const plain = document.getElementById("plain");
const dark = matchMedia("(prefers-color-scheme: dark)");

/** The package has its own colours for dark, by a class. */
function colour() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

/** Opens the tool that the address names, as it does without scripts. */
function openNamed({ layoutActions }) {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.dataset.group) return;
  const group = named.dataset.group;
  const operation = named.id.replaceAll("-", "_");
  layoutActions.show(["operations-tag", group], true);
  layoutActions.show(["operations", group, operation], true);
  setTimeout(() => document.getElementById(`operations-${group}-${operation}`)?.scrollIntoView());
}

/** What folds a schema, and what chooses an example, has no name of its own. */
function nameControls() {
  for (const choice of place.querySelectorAll("select:not([aria-label])")) {
    if (choice.labels.length === 0) choice.setAttribute("aria-label", "Which example");
  }
  for (const button of place.querySelectorAll(".model-box-control:not([aria-label])")) {
    if (button.innerText.trim() === "") button.setAttribute("aria-label", "Fold or unfold");
  }
}

function mount() {
  colour();
  dark.addEventListener("change", colour);
  const ui = globalThis.SwaggerUIBundle({
    domNode: place.querySelector(".mount"),
    url: place.dataset.document,
    validatorUrl: null,
    supportedSubmitMethods: [],
    docExpansion: "none",
    defaultModelRendering: "model",
    defaultModelExpandDepth: 3,
    defaultModelsExpandDepth: -1,
    onComplete() {
      place.hidden = false;
      plain.hidden = true;
      // The page has its own.
      place.querySelector("main")?.setAttribute("role", "group");
      new MutationObserver(nameControls).observe(place, { childList: true, subtree: true });
      openNamed(ui.getSystem());
    },
  });
}

const script = document.createElement("script");
script.src = place.dataset.library;
script.addEventListener("load", mount);
document.head.append(script);
