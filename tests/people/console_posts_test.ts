/** What no form of the console does, by the router's own list: what another site sends, or who may not; and what it never loses. */
import assert from "node:assert/strict";
import { sha256 } from "../../store/database.ts";
import { addressOf, isPage, type Route, routes } from "./console_kit.ts";
import { type HostileWorld, hostileWorld } from "./console_world.ts";
import { PersonBrowser, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const POSTS = routes().filter(({ method }) => method === "POST");
/** What is for everybody: it is how people come in, and leave. */
const isOpen = ({ path }: Route) =>
  ["/admin/sign-in", "/admin/login", "/admin/invitation", "/admin/sign-out", "/admin/assets"].some((one) =>
    path.startsWith(one)
  );
const CLOSED = POSTS.filter((one) => !isOpen(one));
/** What members have pages of: their own. All others are admins', and a page that is new is until it stands here. */
const MEMBERS = [
  "account",
  "approvals",
  "audit",
  "changes",
  "clients",
  "connections",
  "design",
  "tokens",
  "try",
]
  .map((one) => `/admin/${one}`);
const isMembers = ({ path }: Route) =>
  path === "/admin" || MEMBERS.some((one) => path === one || path.startsWith(`${one}/`));

const TYPED = "what I typed";
const SECRETS = { passphrase: "secret one", again: "secret two", current: "secret three" };
/** Something in every field that a form has. */
const typed = (): URLSearchParams =>
  new URLSearchParams({
    ...Object.fromEntries(
      ["name", "email", "reason", "words", "confirm", "page", "id"].map((name) => [name, TYPED]),
    ),
    ...{
      platform: "cms",
      place: "all",
      "text.title": TYPED,
      "texts.title": TYPED,
      "credentials.cms.username": "secret four",
    },
    ...SECRETS,
  });

/** All that a form could change, each kind as one text. */
async function stateOf({ gw }: HostileWorld): Promise<Record<string, string>> {
  const { sites, projects, users, tokens, freezes, webhooks, approvals, accounts } = gw.store;
  const lists = { sites, projects, users, tokens, freezes, webhooks, approvals, accounts };
  const all: Record<string, string> = {
    sent: String(gw.requests.length),
    rows: String((await gw.audit()).length),
  };
  for (const [name, store] of Object.entries(lists)) all[name] = sha256(JSON.stringify(await store.list()));
  return all;
}

/** The proof that the forms of a browser carry. */
async function proofOf(browser: PersonBrowser): Promise<string> {
  await browser.open("/admin/account");
  return /name="csrf" value="([^"]*)"/.exec(browser.page!.text)![1]!;
}

Deno.test("whatever another site sends, or who sends it without its proof, no form does anything", async () => {
  await using world = await hostileWorld();
  const { places, master, admin } = world;
  const before = await stateOf(world);
  for (const browser of [master, admin]) {
    const csrf = await proofOf(browser);
    for (const { path } of POSTS) {
      const address = addressOf(path, places);
      const send = async (headers: Record<string, string>, proof: string | null) => {
        const form = typed();
        if (proof !== null) form.set("csrf", proof);
        const { status } = await browser.post(address, form, { headers, stay: true });
        assert.equal(
          status,
          403,
          `${path} with ${JSON.stringify(headers)} and ${proof === csrf ? "a" : "no"} proof`,
        );
      };
      await send({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, csrf);
      await send({ "sec-fetch-site": "same-site" }, csrf);
      await send({ origin: "null" }, csrf);
      await send({}, null);
      await send({}, `${csrf}x`);
    }
  }
  assert.deepEqual(await stateOf(world), before);
});

Deno.test("a cookie that was stolen opens nothing and sends nothing once its owner has signed out", async () => {
  await using world = await hostileWorld();
  const { places, gw } = world;
  for (const browser of [await masterBrowser(gw), (await signedIn(gw, "ann@agency.example", {})).browser]) {
    const csrf = await proofOf(browser);
    const thief = browser.stolen();
    await browser.open("/admin/account");
    await browser.submit("/admin/sign-out", {});
    const before = await stateOf(world);
    for (const route of routes().filter((one) => !isOpen(one))) {
      const address = addressOf(route.path, places);
      const form = typed();
      form.set("csrf", csrf);
      const { status, text } = route.method === "GET"
        ? await thief.open(address)
        : await thief.post(address, form);
      const isIn = text.includes("Sign out");
      assert.ok(!isIn, `${route.method} ${route.path} is answered as to somebody (${status})`);
      if (isPage(route)) assert.equal(thief.page!.title, "Sign in", route.path);
    }
    assert.deepEqual(await stateOf(world), before);
  }
});

Deno.test("a member gets no admin's page and no admin's form, whichever is added; a site-limited admin none of another site", async () => {
  await using world = await hostileWorld();
  const { places, member, some } = world;
  const before = await stateOf(world);
  for (const [browser, mine] of [[member, isMembers], [some, isMembers]] as const) {
    const csrf = await proofOf(browser);
    for (const route of routes().filter((one) => !isOpen(one) && !mine(one))) {
      if (browser === some && !route.path.startsWith("/admin/sites/:id")) continue;
      const address = addressOf(route.path, places);
      const form = typed();
      form.set("csrf", csrf);
      const { status, text } = route.method === "GET"
        ? await browser.open(address)
        : await browser.post(address, form);
      const allowed = browser === member ? [403] : [403, 404];
      assert.ok(allowed.includes(status), `${route.method} ${route.path}: ${status}`);
      assert.ok(!text.includes("evil.example"), `${route.path} shows nothing of it`);
    }
    for (const path of ["/admin/tokens/:id", "/admin/audit/:id"]) {
      const { status } = await browser.open(addressOf(path, places));
      assert.equal(status, 404, `${path} of another`);
    }
  }
  assert.deepEqual(await stateOf(world), before);
});

/** Forms that are a button: nothing is typed there, so that one presses it again. */
const BUTTONS = ["/approve", "/undo"].map((one) => (path: string) =>
  path.startsWith("/admin/approvals") || path.startsWith("/admin/changes") ? path.endsWith(one) : false
);

Deno.test("what was typed into a form whose session has ended is given back on every form, and no secret is", async () => {
  await using world = await hostileWorld();
  const { places, master: back } = world;
  const before = await stateOf(world);
  for (const { path } of CLOSED.filter((one) => !BUTTONS.some((is) => is(one.path)))) {
    const address = addressOf(path, places);
    const gone = world.nobody();
    const ended = await gone.post(address, typed());
    assert.equal(ended.status, 401, path);
    assert.ok(ended.text.includes(TYPED), `${path} has what was typed`);
    assert.doesNotMatch(ended.text, /secret (one|two|three|four)/, path);
    const form = /<form method="post" action="([^"]*[?]again)">/.exec(ended.text)?.[1];
    if (form === undefined) continue; // texts of a request stand in the page, to be copied
    for (const [name, value] of back.cookies) gone.cookies.set(name, value);
    gone.page = ended;
    const shown = await gone.submit(form, {});
    assert.ok(shown.text.includes(TYPED), `${path} has it again (${shown.status}): ${shown.title}`);
    const late = await back.post(address, typed());
    assert.equal(late.status, 403, `${path}: of a form from before`);
    assert.ok(late.text.includes(TYPED), `${path}: a form from before the sign-in has it too`);
    assert.doesNotMatch(late.text + shown.text, /secret (one|two|three)/, path);
  }
  assert.deepEqual(await stateOf(world), before);
});
