/** Passkeys: asks the gateway for options, has the browser make or use a passkey, sends the form with what came of it. */

/** What a browser reports, in words. */
const PROBLEMS = {
  NotAllowedError: "No passkey was used: it was cancelled, or took too long. Try again.",
  InvalidStateError: "This device has a passkey for this account already.",
  SecurityError: "The browser does not allow passkeys at this address.",
};

async function optionsOf(form) {
  const csrf = form.elements.namedItem("csrf").value;
  const body = new URLSearchParams({ csrf });
  const response = await fetch(form.dataset.options, { method: "POST", body, credentials: "same-origin" });
  const answer = await response.json();
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.result;
}

async function credentialOf(form) {
  const options = await optionsOf(form);
  if (form.dataset.passkey === "create") {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return await navigator.credentials.create({ publicKey });
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return await navigator.credentials.get({ publicKey });
}

async function send(form) {
  const problem = form.querySelector("[data-problem]");
  problem.hidden = true;
  try {
    const credential = await credentialOf(form);
    form.elements.namedItem("response").value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch (error) {
    problem.textContent = PROBLEMS[error.name] ?? error.message;
    problem.hidden = false;
  }
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form);
    });
  }
}
