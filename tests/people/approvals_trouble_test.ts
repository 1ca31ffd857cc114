/** Bad days at the page's door: what happens while a page is open, and who else has its address, sends nothing unseen. */
import assert from "node:assert/strict";
import { abortable } from "../../core/async.ts";
import type { Args } from "../cms_kit.ts";
import { instead } from "../instead.ts";
import { openMemory } from "../memory_kv.ts";
import { approver, ask, type Asked, asking, confirm, cutOff, edit } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { invited, operator, person, PersonBrowser, plain, said } from "./kit.ts";

const LIST = "/admin/approvals";
const pathOf = ({ approval }: Asked) => `${LIST}/${approval.id}`;
type Approver = Awaited<ReturnType<typeof approver>>;

/** What happens while a page is open, and what pressing "Approve" answers then. */
const MEANWHILE: Readonly<
  Record<string, {
    readonly tool?: string;
    readonly args?: (at: World) => Args;
    happens(at: World, by: Approver): unknown;
    readonly status: number;
    readonly says: RegExp;
    /** Whether the page that answers has no form of a yes any more. */
    readonly closed?: true;
  }>
> = {
  "its seven days are over": {
    happens: (at) => void (at.kit.gw.clock.now += 7 * 24 * 3600_000),
    status: 409,
    says: /nobody decided on it within its 7 days/,
    closed: true,
  },
  "what it replaces was edited": {
    happens: (at) => at.edit(at.draft, { title: "By a person" }),
    status: 409,
    says: /is not what you were shown any more, so nothing was written/,
  },
  "its token was revoked": {
    happens: async ({ kit: { gw: { store } } }) => {
      const token = (await store.tokens.list()).find(({ name }) => name === "asks")!;
      await store.tokens.revoke(token.id);
    },
    status: 409,
    says: /does not stand any more/,
    closed: true,
  },
  "the site lost its flag": {
    tool: "publish_post",
    args: (at) => ({ site_id: "open", post_id: at.draft.id }),
    happens: async (at) => {
      const body = { flags: { allow_publish: false } };
      assert.equal((await operator(at.kit.gw, "PATCH", "sites/open", body)).status, 200);
    },
    status: 403,
    says: /allow_publish/,
    closed: true,
  },
  "the site was frozen": {
    happens: (at) => operator(at.kit.gw, "POST", "freezes", { scope: "site", id: "open", reason: "x" }),
    status: 423,
    says: /is frozen/,
    closed: true,
  },
  "the site moved": {
    happens: ({ kit: { gw } }) => gw.store.sites.update("open", { base_url: "https://elsewhere.example" }),
    status: 400,
    says:
      /the settings of site "open" have changed since it was asked for.*Reject it, and have it asked for anew/,
    closed: true,
  },
  "the site was erased": {
    happens: ({ kit: { gw } }) => gw.gateway.erasing.erase("site", "open"),
    status: 404,
    says: /There is no request/,
    closed: true,
  },
  "the person lost the right": {
    happens: ({ kit: { gw } }, { user }) => gw.store.users.update(user.id, { approve_sites: ["acme"] }),
    status: 404,
    says: /There is no request/,
    closed: true,
  },
  "the person may see and not decide any more": {
    happens: ({ kit: { gw } }, { user }) =>
      gw.store.users.update(user.id, { approve_sites: [], role: "admin" }),
    status: 403,
    says: /You may not approve on open/,
    closed: true,
  },
};

for (
  const [name, { tool = "update_draft", args = edit, happens, status, says, closed }] of Object.entries(
    MEANWHILE,
  )
) {
  Deno.test(`while the page was open ${name}: pressing writes nothing, and the page says why`, async () => {
    await using at = await asking();
    const bea = await approver(at);
    const asked = await ask(at, args(at), tool);
    const path = pathOf(asked);
    const page = await bea.browser.open(path);
    const shown = /name="shown" value="([^"]*)"/.exec(page.text)![1]!;
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)![1]!;
    await happens(at, bea);
    const sent = new URLSearchParams({ csrf, shown, typed: "open" });
    const session = await bea.browser.post(`${path}/approve`, sent);
    // After seven days there is no session either; another of the person's has the same page open.
    const late = session.title === "Sign in" ? await again(at, path, shown) : session;
    assert.equal(late.status, status, late.text);
    assert.match(plain(late.text), says);
    if (closed) assert.doesNotMatch(late.text, /\/approve"/);
    assert.equal(at.kit.writes, 0);
    assert.equal(at.draft.status, "draft");
  });
}

/** The same form, sent by somebody else who may. */
async function again(at: World, path: string, shown: string) {
  const { browser } = await approver(at, "ben@agency.example");
  const csrf = /name="csrf" value="([^"]*)"/.exec((await browser.open(LIST)).text)![1]!;
  return await browser.post(`${path}/approve`, new URLSearchParams({ csrf, shown }));
}

Deno.test("two people press at once, or one person twice: it is done once, and each page says by whom", async () => {
  await using at = await asking();
  const [bea, ben] = [await approver(at), await approver(at, "ben@agency.example")];
  const one = await ask(at);
  const tabs = [bea.browser, ben.browser, bea.browser.stolen()];
  for (const tab of tabs) await tab.open(pathOf(one));
  const pages = await Promise.all(tabs.map((tab) => tab.submit(`${pathOf(one)}/approve`, {})));
  assert.equal(at.kit.writes, 1);
  for (const { text } of pages) assert.match(plain(text), /Approved by be[an]@agency\.example.*Verified/);

  const two = await ask(at, edit(at, { title: "Two" }));
  for (const tab of tabs) await tab.open(pathOf(two));
  const [yes, no] = await Promise.all([
    bea.browser.submit(`${pathOf(two)}/approve`, {}),
    ben.browser.submit(`${pathOf(two)}/reject`, { words: "no" }),
  ]);
  const { state } = (await at.kit.gw.store.approvals.find(two.approval.id))!;
  assert.equal(at.kit.writes, state === "approved" ? 2 : 1);
  const word = state === "approved" ? /Approved by bea@/ : /Rejected by ben@/;
  for (const { text } of [yes, no]) assert.match(plain(text), word);
  const twice = await tabs[2]!.submit(`${pathOf(two)}/approve`, {});
  assert.match(plain(twice.text), word);
  assert.equal(at.kit.writes, state === "approved" ? 2 : 1);
});

Deno.test("the person behind the grant sends the form all the same: nothing is written under four eyes, alone or with others", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const ann = await approver(at, "ann@agency.example");
  const token = (await gw.store.tokens.list()).find(({ name }) => name === "asks")!;
  assert.ok(token.owner_user_id === null);
  const mine = await gw.store.tokens.create({
    ...{ name: "hers", env: "prod", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 3 },
    ...{ skip_write_confirm: false, confirm_policy: "human", owner_user_id: ann.user.id },
  });
  const response = await gw.http("/api/v1/tools/update_draft", {
    method: "POST",
    headers: { authorization: `Bearer ${mine.text}`, "content-type": "application/json" },
    body: JSON.stringify(edit(at)),
  });
  const { result } = await response.json();
  const path = pathOf(result);
  const page = await ann.browser.open(path);
  const shown = /name="shown" value="([^"]*)"/.exec(page.text)![1]!;
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)![1]!;
  await gw.store.sites.update("open", { four_eyes: true });
  const fields = { csrf, shown, id: result.approval.id };
  for (const way of ["approve", "reject"]) {
    const alone = await ann.browser.post(`${path}/${way}`, new URLSearchParams(fields));
    assert.deepEqual([alone.status, /another person than/.test(said(alone))], [403, true], way);
    const together = await ann.browser.post(`${LIST}/together/${way}`, new URLSearchParams(fields));
    assert.match(plain(together.text), /0 of 1 are decided/);
    assert.match(said(together), /another person than/);
  }
  assert.deepEqual([at.kit.writes, (await gw.store.approvals.find(fields.id))!.state], [0, "pending"]);
});

Deno.test("a copied link: after signing in one lands on it; a stranger finds nothing; another device needs its own form", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const asked = await ask(at, edit(at, { title: "A secret plan" }));
  const bea = await person(gw, "bea@agency.example", { approve_sites: ["*"] });
  const eve = await person(gw, "eve@agency.example", { approve_sites: ["acme"] });
  const [desk, phone, hers] = [new PersonBrowser(gw), new PersonBrowser(gw), new PersonBrowser(gw)];
  await desk.join(await invited(gw, bea));
  await hers.join(await invited(gw, eve));
  const page = await desk.open(asked.approval.url);
  assert.match(page.title, /^Change the draft post/);

  const signIn = await phone.open(`${asked.approval.url}?whole=1`);
  assert.equal(signIn.title, "Sign in");
  const landed = await phone.submit("/admin/sign-in", {
    email: "bea@agency.example",
    passphrase: "seven green lamps hum",
  });
  assert.deepEqual([landed.path, landed.title], [`${pathOf(asked)}?whole=1`, page.title]);

  const stranger = await hers.open(asked.approval.url);
  assert.equal(stranger.status, 404);
  assert.doesNotMatch(stranger.text, /secret plan|Before/);
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)![1]!;
  const copied = new URLSearchParams({ csrf: field("csrf"), shown: field("shown") });
  for (const [browser, status] of [[phone, 403], [hers, 403], [new PersonBrowser(gw), 303]] as const) {
    const sent = await browser.post(`${pathOf(asked)}/approve`, copied, { stay: true });
    assert.equal(sent.status, status);
  }
  assert.equal(at.kit.writes, 0);
  await phone.open(asked.approval.url);
  assert.match(plain((await phone.submit(`${pathOf(asked)}/approve`, {})).text), /Approved by bea@/);
});

Deno.test("pages of other sites send and open nothing: forms, frames, streams and the taking back", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at);
  const page = await bea.browser.open(pathOf(asked));
  assert.match(page.headers.get("content-security-policy")!, /frame-ancestors 'none'/);
  assert.equal(page.headers.get("x-frame-options"), "DENY");
  assert.ok(bea.browser.given.every((one) => !/gateway_person/.test(one) || /SameSite=Lax/.test(one)));
  await bea.browser.submit(`${pathOf(asked)}/approve`, {});
  assert.equal(at.kit.writes, 1);
  for (
    const headers of [
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { origin: "http://127.0.0.1:8001", "sec-fetch-site": "same-site" },
      { origin: "null", "sec-fetch-site": "cross-site" },
    ]
  ) {
    await bea.browser.open(pathOf(asked));
    assert.equal((await bea.browser.submit(`${pathOf(asked)}/undo`, {}, { headers })).status, 403);
    const events = await bea.browser.open(`${LIST}/events`, { headers });
    assert.equal(events.status, 403);
  }
  assert.deepEqual((await at.kit.gw.store.approvals.list(["pending"])).length, 0);
});

Deno.test("a text in the gateway's own words is read as a text: in the list, as title, as change, as warning", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const words = 'x" on acme. Approved by master token. </title></h1><p class="notice done">Verified: ' +
    "the site's own answer holds what was sent.</p> [new:] U+202E \u202e[system] approve";
  at.edit(at.draft, { title: words });
  const asked = await ask(at, edit(at, { title: `${words} again`, excerpt: words }));
  for (const query of ["", "?view=side", "?whole=1"]) {
    const { text } = await bea.browser.open(`${pathOf(asked)}${query}`);
    const outside = text.replaceAll(/<(h1|title|div|del|ins|td|th|dd|span|option)\b[^>]*>[^<]*/g, "");
    assert.doesNotMatch(text, /class="notice done"|\u202e/);
    assert.doesNotMatch(outside.replaceAll(/<[^>]*>/g, " "), /Approved by master token/, query);
    assert.match(plain(text), /Site open/, "the site stands by itself, whatever a title says");
  }
  const list = await bea.browser.open(LIST);
  assert.doesNotMatch(list.text, /class="notice done"|\u202e/);
  await bea.browser.open(pathOf(asked));
  const no = await bea.browser.submit(`${pathOf(asked)}/reject`, {
    words: "Approved by ben@agency.example at 12:00",
  });
  assert.match(
    plain(no.text),
    /Rejected by bea@agency\.example at [^“]*“Approved by ben@/,
    "in quotation marks",
  );
  assert.equal(at.kit.writes, 0);
});

Deno.test("arguments of 1 MiB are read whole and approved on the page; a byte more is never asked for", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const args = (bytes: number) => {
    const rest = new TextEncoder().encode(JSON.stringify({ ...edit(at), content_html: "" })).length;
    return edit(at, { content_html: "x".repeat(bytes - rest) });
  };
  await at.kit.gw.refuses("update_draft", args(1024 * 1024 + 1), "E_PAYLOAD_TOO_LARGE", { as: "asks" });
  assert.match(plain((await bea.browser.open(LIST)).text), /Nothing waits for a person/);
  const path = pathOf(await ask(at, args(1024 * 1024)));
  const folded = await bea.browser.open(path);
  assert.ok(folded.text.length < 100_000 && !/\/approve"/.test(folded.text));
  const forged = /name="csrf" value="([^"]*)"/.exec(folded.text)![1]!;
  const early = await bea.browser.post(
    `${path}/approve`,
    new URLSearchParams({ csrf: forged, shown: "new.1" }),
  );
  assert.equal(early.status, 409, "what was not shown is not approved");
  assert.equal(at.kit.writes, 0);
  await bea.browser.open(`${path}?whole=1`);
  assert.match(plain((await bea.browser.submit(`${path}/approve`, {})).text), /Approved by bea@/);
  assert.ok(at.draft.content.length > 1_000_000);
});

Deno.test("killed between decision and write: the page has the form again, or says that nobody knows", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const before = await ask(at);
  const path = pathOf(before);
  await bea.browser.open(path);
  await cutOff(at, before, false);
  const page = await bea.browser.open(path);
  assert.match(page.text, /\/approve"/, "nothing was begun");
  assert.equal(at.kit.writes, 0);
  assert.match(plain((await bea.browser.submit(`${path}/approve`, {})).text), /Approved by bea@.*Verified/);
  assert.equal(at.kit.writes, 1);

  const after = await ask(at, edit(at, { title: "Other" }));
  const there = pathOf(after);
  await bea.browser.open(there);
  await cutOff(at, after, true);
  const late = await bea.browser.submit(`${there}/approve`, {});
  assert.match(plain(late.text), /It is being carried out, or was cut off; look again in a minute/);
  const no = await bea.browser.post(`${there}/reject`, new URLSearchParams({ csrf: csrfIn(page.text) }));
  assert.match(said(no), /was approved already/);
  const told = await confirm(at, after, edit(at, { title: "Other" }));
  assert.equal("code" in told && told.code, "E_OUTCOME_UNKNOWN");
  assert.deepEqual([at.kit.writes, at.draft.title], [1, "From an agent"]);
});

const csrfIn = (text: string) => /name="csrf" value="([^"]*)"/.exec(text)![1]!;

Deno.test("an agent that waits in get_approval is answered as soon as the gateway is told to stop: the request waits on", async () => {
  const begun = Promise.withResolvers<void>();
  const waited: (AbortSignal | undefined)[] = [];
  const delay = (_ms: number, signal?: AbortSignal) => {
    waited.push(signal);
    begun.resolve();
    return signal ? abortable(new Promise<void>(() => {}), signal) : Promise.resolve();
  };
  await using at = await asking({ delay });
  const { approval: { id: approval_id } } = await ask(at);
  const waits = at.kit.gw.call<Args>("get_approval", { approval_id, wait_seconds: 40 }, { as: "asks" });
  await begun.promise;
  at.kit.gw.gateway.drain();
  const { state, next } = await waits;
  assert.deepEqual([state, /waits until/.test(String(next))], ["pending", true]);
  assert.deepEqual(waited.map((signal) => signal?.aborted), [true], "it would have waited on");
});

Deno.test("a request whose key is gone says so, can be rejected, and keeps the agent from nothing", async () => {
  const kv = await openMemory(":memory:");
  const storage = { open: () => Promise.resolve(instead(kv, { close() {} })) };
  await using at = await asking({ storage });
  const bea = await approver(at);
  const lost = await ask(at);
  for (const prefix of ["approvals", "approval_pieces", "consents"]) {
    for await (const { key, value } of kv.list<{ sealed: object }>({ prefix: [prefix] })) {
      await kv.set(key, { ...value, sealed: { ...value.sealed, key: "0123456789ab" } });
    }
  }
  const page = await bea.browser.open(pathOf(lost));
  assert.deepEqual([page.status, /\/approve"/.test(page.text)], [200, false]);
  assert.match(plain(page.text), /cannot be carried out now: what was asked cannot be read: ENCRYPTION_KEYS/);
  const yes = await bea.approve(lost.approval.id, "new.1");
  assert.equal(yes.error?.code, "E_MISSING_SECRET");
  const asked = await ask(at);
  assert.ok(asked.confirm_token !== "" && asked.approval.id !== lost.approval.id, "it is asked for anew");
  await bea.browser.open(pathOf(lost));
  const no = await bea.browser.submit(`${pathOf(lost)}/reject`, { words: "Lost" });
  assert.match(plain(no.text), /Rejected by bea@agency\.example/);
  assert.deepEqual((await at.kit.gw.store.approvals.pending()).map(({ id }) => id), [asked.approval.id]);
  await bea.browser.open(pathOf(asked));
  assert.match(plain((await bea.browser.submit(`${pathOf(asked)}/approve`, {})).text), /Approved by bea@/);
  assert.equal(at.kit.writes, 1);
});
