/** The card of a change in an MCP host: shows what was answered, and leads to the gateway's page. It decides nothing and calls no tool. */

// The same signs as core/unseen.ts shows by their numbers.
const UNSEEN =
  /\r(?!\n)|(?![\r\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]|\p{Cs}/gu;
const PROTOCOL = "2026-01-26";
const TEXT_CHARACTERS = 4000;
const CHANGES_SHOWN = 50;
const APPROVAL = "site-operations/approval";
const STATES = {
  pending: "Waits for a person",
  approved: "Approved",
  rejected: "Rejected",
  expired: "Not decided in time",
};

const page = document.getElementById("card");
const { origin } = document.documentElement.dataset;

/** Sends a message to the host; whoever embeds the card is the host. */
const send = (message) => globalThis.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
let nextId = 1;
const answers = new Map();
function ask(method, params) {
  const id = nextId++;
  return new Promise((resolve, reject) => {
    answers.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

/** An element; whatever is a text in it becomes a text, and never markup. */
function made(name, more, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(more)) element[key] = value;
  element.append(...children.filter((one) => one !== null && one !== undefined));
  return element;
}

/** A text of somebody's, with the numbers of what nobody sees in it, apart from the direction of what stands around it. */
function said(value, name = "span") {
  const whole = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  const text = whole.slice(0, TEXT_CHARACTERS);
  const element = made(name, { dir: "auto", className: "said" });
  let from = 0;
  for (const { index, 0: sign } of text.matchAll(UNSEEN)) {
    element.append(text.slice(from, index));
    const number = sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    element.append(made("span", { className: "sign", textContent: `U+${number}` }));
    from = index + sign.length;
  }
  element.append(text.slice(from));
  if (text.length < whole.length) {
    element.append(made("em", {}, ` … ${whole.length - text.length} characters more`));
  }
  return element;
}

/** One side of a change, with what only it has between the common beginning and end. */
function side(label, value, other, name) {
  const row = made("div", { className: "side" }, made("span", { className: "label" }, label));
  if (value === null || value === undefined || value === "") row.append(made("em", {}, "nothing"));
  else if (typeof value !== "string" || typeof other !== "string") row.append(said(value));
  else {
    const most = Math.min(value.length, other.length);
    let start = 0, end = 0;
    while (start < most && value[start] === other[start]) start++;
    while (end < most - start && value.at(-1 - end) === other.at(-1 - end)) end++;
    const parts = [
      value.slice(0, start),
      value.slice(start, value.length - end),
      value.slice(value.length - end),
    ];
    const marked = made("span", { dir: "auto", className: "said" });
    parts.forEach((part, at) => part !== "" && marked.append(said(part, at === 1 ? name : "span")));
    row.append(marked);
  }
  return row;
}

const change = ({ field, from, to, context }) =>
  made(
    "li",
    {},
    made("strong", {}, said(String(field))),
    side("Now", from, to, "del"),
    side("Then", to, from, "ins"),
    context === undefined ? null : side("Where", context, null),
  );

const facts = (rows) =>
  made(
    "dl",
    {},
    ...rows.filter(([, value]) => value !== undefined && value !== null && value !== "").flatMap((
      [name, value],
    ) => [
      made("dt", {}, name),
      made("dd", {}, said(value)),
    ]),
  );

/** The way to the gateway's own page, which takes the decision; no other address is offered. */
function way(url) {
  if (typeof url !== "string" || !url.startsWith(`${origin}/admin/approvals/`)) return null;
  const shown = made("p", { className: "address" }, url);
  const button = made("button", { type: "button" }, "Open the page of this request");
  button.addEventListener("click", async () => {
    try {
      const { isError } = await ask("ui/open-link", { url });
      if (!isError) return;
    } catch {
      // Said below: the address stands there in any case.
    }
    shown.replaceChildren("This program opens no pages. Open this address in a browser: ", url);
  });
  return made("div", {}, button, shown);
}

function list(heading, items) {
  return items.length === 0 ? null : made("section", {}, made("h2", {}, heading), made("ul", {}, ...items));
}

const isFields = (one) => one !== null && typeof one === "object" && !Array.isArray(one);
const fieldsIn = (all) => Array.isArray(all) ? all.filter(isFields) : [];
const textsIn = (all) => Array.isArray(all) ? all : [];

/** Changes as a list, or by their fields: the new value, or what becomes of what. */
function listed(changes, of = "") {
  const all = isFields(changes)
    ? Object.entries(changes).map(([field, value]) => ({ field, ...isFields(value) ? value : { to: value } }))
    : fieldsIn(changes);
  return all.map(({ field, ...rest }) => ({ field: `${of}${field}`, ...rest }));
}

/** A preview and, of a set, its items and what several of them say alike, each with what its words begin with. */
const partsOf = (preview) => [
  ["", preview],
  ...fieldsIn(preview.items).map((one) => [`item ${one.item}: `, one]),
  ...fieldsIn(preview.items_alike).map((one) => [`items ${textsIn(one.items).join(", ")}: `, one]),
];

function changesOf(preview) {
  const all = partsOf(preview).flatMap(([of, { changes }]) => listed(changes, of));
  const shown = all.slice(0, CHANGES_SHOWN).map(change);
  if (all.length > shown.length) shown.push(made("li", {}, `${all.length - shown.length} more on the page`));
  if (typeof preview.left_out === "string") shown.push(made("li", {}, said(preview.left_out)));
  return list("What changes", shown);
}

const warningsOf = (preview) =>
  list(
    "Warnings",
    partsOf(preview).flatMap(([of, { warnings }]) =>
      textsIn(warnings).map((one) => made("li", {}, said(`${of}${one}`)))
    ),
  );

const draw = (state, ...children) =>
  page.replaceChildren(made("p", { className: "state" }, state), ...children.filter((one) => one !== null));

/** The sites of a call, or of the items of a set. */
function sitesOf({ site_id, site_ids, items }) {
  const of = Array.isArray(items) ? items.map((one) => one?.site_id) : [];
  const all = new Set([...Array.isArray(site_ids) ? site_ids : [], ...of, site_id]);
  return [...all].filter((one) => typeof one === "string").join(", ");
}

/** A preview: what would be done, and whether a person is asked. */
function drawPreview(preview) {
  const { approval, summary, tool, set_id } = preview;
  draw(
    approval ? STATES.pending : "Shown, and not done",
    made("h1", {}, said(summary ?? tool ?? "A change")),
    facts([
      ["Sites", sitesOf(preview)],
      ["Tool", tool],
      ["Set", set_id],
      ["Until", approval?.expires_at ?? preview.expires_at],
    ]),
    warningsOf(preview),
    changesOf(preview),
    approval ? way(approval.url) : null,
  );
}

/** What get_approval tells of a request. */
function drawRequest({ state, tool, site_ids, words, failed, url, asked_at, decided_at }) {
  draw(
    STATES[state] ?? state,
    made("h1", {}, said(tool ?? "A change")),
    facts([
      ["Sites", sitesOf({ site_ids })],
      ["Asked", asked_at],
      ["Decided", decided_at],
      ["The person's words", words],
      ["Failed", failed && (failed.message ?? failed)],
    ]),
    way(url),
  );
}

/** A refusal: that of a request is told by its state, any other by its words. */
function drawRefusal(text, approval) {
  draw(
    STATES[approval?.state] ?? "Not done",
    made("p", {}, said(text)),
    approval?.words ? facts([["The person's words", approval.words]]) : null,
    approval ? way(approval.url) : null,
  );
}

function drawDone({ status, verified, replayed, set_id, state }) {
  const proven = { true: "yes", false: "no" }[String(verified)];
  draw(
    "Answered",
    facts([
      ["Status", status ?? state],
      ["Set", set_id],
      ["Proven at the site", proven],
      ["Told again", replayed === true ? "yes" : undefined],
    ]),
  );
}

/** The result of the tool. Its text is the gateway's JSON; a site's own tool may answer anything, which is shown as a text. */
function drawResult({ content, isError, _meta }) {
  const text = (Array.isArray(content) ? content : []).find(({ type }) => type === "text")?.text ?? "";
  const approval = _meta?.[APPROVAL];
  if (isError || approval) return drawRefusal(text, approval);
  let told = null;
  try {
    told = JSON.parse(text);
  } catch {
    // No JSON: a text.
  }
  if (told === null || typeof told !== "object" || Array.isArray(told)) {
    return draw("Answered", said(text, "p"));
  }
  if (told.needs_confirmation === true) return drawPreview(told);
  if (typeof told.approval_id === "string" && typeof told.state === "string") return drawRequest(told);
  return drawDone(told);
}

function dress({ theme, styles } = {}) {
  const { style } = document.documentElement;
  if (theme === "light" || theme === "dark") style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") style.setProperty(name, value);
  }
}

const NOTICES = {
  "ui/notifications/tool-result": drawResult,
  "ui/notifications/tool-cancelled": () => draw("Cancelled"),
  "ui/notifications/host-context-changed": dress,
};

globalThis.addEventListener("message", ({ source, data }) => {
  if (source !== globalThis.parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const waiting = answers.get(id);
    answers.delete(id);
    if (error === undefined) waiting?.resolve(result ?? {});
    else waiting?.reject(new Error(error.message));
  } else if (id === undefined) NOTICES[method]?.(params ?? {});
  else if (method === "ui/resource-teardown" || method === "ping") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: "This card has no such method" } });
});

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({
    method: "ui/notifications/size-changed",
    params: { width: Math.ceil(width), height: Math.ceil(height) },
  });
}).observe(document.documentElement);

const started = await ask("ui/initialize", {
  appInfo: { name: "site-operations-approval", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline"] },
  protocolVersion: PROTOCOL,
});
dress(started.hostContext);
send({ method: "ui/notifications/initialized", params: {} });
