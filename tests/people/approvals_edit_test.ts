/** Editing on the pages: texts in a form without scripts, a request of its own of that, and nothing that was typed is lost. */
import assert from "node:assert/strict";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { plain, said, unescaped } from "./kit.ts";

const LIST = "/admin/approvals";
type Person = Awaited<ReturnType<typeof approver>>;

/** A request with a text of a person. */
const asked = async (at: World, more: object = {}) =>
  (await ask(at, edit(at, { content_html: "<p>From <b>an agent</b></p>", ...more }))).approval.id;

/** The texts of a page's form, as a browser reads them: without the first line end. */
const textsOf = (page: { readonly text: string }): Record<string, string> =>
  Object.fromEntries(
    [...page.text.matchAll(/<textarea id="text\.[^"]*" name="text\.([^"]*)"[^>]*>([^<]*)<\/textarea>/g)]
      .map(([, name, text]) => [name!, unescaped(text!.startsWith("\n") ? text!.slice(1) : text!)]),
  );

/** Sends the form of the page that is open, with texts as a browser sends them. */
async function send(
  { browser }: Person,
  path: string,
  texts: Readonly<Record<string, string>>,
  csrf?: string,
) {
  const proof = csrf ?? /name="csrf" value="([^"]+)"/.exec(browser.page!.text)![1]!;
  const form = new URLSearchParams({ csrf: proof });
  for (const [name, text] of Object.entries(texts)) form.set(`text.${name}`, text.replaceAll("\n", "\r\n"));
  const init = { headers: { origin: "http://127.0.0.1:8000", "sec-fetch-site": "same-origin" } };
  const answer = await browser.post(path, form, init);
  return answer.status === 303 ? await browser.open(answer.headers.get("location")!) : answer;
}

Deno.test("a text is edited and asked for anew; the editor reads it as everybody would, and approves it", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const id = await asked(at);
  const page = await bea.browser.open(`${LIST}/${id}`);
  assert.match(plain(page.text), /Edit the texts \(title, text\)\. That asks for it anew, in your name\./);
  const form = await bea.browser.open(`${LIST}/${id}/edit`);
  assert.deepEqual(textsOf(form), { title: "From an agent", content_html: "<p>From <b>an agent</b></p>" });
  assert.doesNotMatch(form.text, /<script|<b>an agent/);
  const texts = { title: "From an agent", content_html: "\n<p>From Bea</p>\n<p>Two</p>" };
  const made = await send(bea, `${LIST}/${id}/edit`, texts);
  assert.match(made.path, /^\/admin\/approvals\/\w{26}$/);
  assert.notEqual(made.path, `${LIST}/${id}`);
  assert.match(plain(made.text), /Edited by bea@agency\.example, in the place of what was asked for/);
  assert.match(unescaped(plain(made.text)), /From Bea/);
  assert.equal(at.kit.writes, 0);
  const first = await bea.browser.open(`${LIST}/${id}`);
  assert.match(plain(first.text), /Edited by bea@agency\.example at .*The request with the edited texts/);
  assert.ok(first.text.includes(`href="${made.path}"`));
  assert.match(plain((await bea.browser.open(`${LIST}?state=decided`)).text), /edited bea@agency\.example/);
  await bea.browser.open(made.path);
  const done = await bea.browser.submit(`${made.path}/approve`, {});
  assert.match(plain(done.text), /Approved by bea@agency\.example/);
  assert.deepEqual([at.draft.title, at.draft.content.trim()], [
    "From an agent",
    "<p>From Bea</p>\n<p>Two</p>",
  ]);
});

Deno.test("what cannot be asked for so is said above the form, which keeps what was typed", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const id = await asked(at);
  const path = `${LIST}/${id}/edit`;
  const typed = { title: "x".repeat(501), content_html: '<p>Typed "by" <i>Bea</i></p>\n\nand more' };
  const rows: readonly (readonly [texts: Record<string, string>, status: number, says: RegExp])[] = [
    [typed, 400, /title: .*500/],
    [{ title: "From an agent", content_html: "<p>From <b>an agent</b></p>" }, 400, /none differs/],
  ];
  for (const [texts, status, says] of rows) {
    await bea.browser.open(path);
    const refused = await send(bea, path, texts);
    assert.equal(refused.status, status);
    assert.match(said(refused), says);
    const kept = Object.fromEntries(
      Object.entries(textsOf(refused)).map(([name, text]) => [name, text.replaceAll("\r\n", "\n")]),
    );
    assert.deepEqual(kept, texts);
  }
  await bea.browser.open(path);
  at.edit(at.draft, { status: "trash" });
  const gone = await send(bea, path, { ...typed, title: "Fine" });
  assert.equal(gone.status >= 400, true);
  assert.equal(textsOf(gone)["title"], "Fine");
  assert.deepEqual([at.kit.writes, (await at.kit.gw.store.approvals.list()).length], [0, 1]);
});

Deno.test("typed while somebody decided, the right was lost, or the session ended: the text is there to be taken along", async () => {
  await using at = await asking();
  const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
  const texts = { title: "Typed by Bea", content_html: "<p>Long work</p>" };
  const ends: Readonly<Record<string, { happens(id: string): unknown; status: number; says: RegExp }>> = {
    "somebody said no": {
      happens: (id) => cal.reject(id, "No"),
      status: 409,
      says: /was rejected already, by cal@agency\.example/,
    },
    "the right was lost": {
      happens: () => at.kit.gw.store.users.update(bea.user.id, { approve_sites: ["acme"] }),
      status: 404,
      says: /There is no request/,
    },
  };
  for (const [name, { happens, status, says }] of Object.entries(ends)) {
    const path = `${LIST}/${await asked(at, { title: name })}/edit`;
    await bea.browser.open(path);
    await happens(path.split("/").at(-2)!);
    const late = await send(bea, path, texts);
    assert.deepEqual([late.status, textsOf(late)], [status, texts], name);
    assert.match(said(late), says);
    assert.match(late.text, /<textarea [^>]*readonly/);
  }
  await at.kit.gw.store.users.update(bea.user.id, { approve_sites: ["*"] });

  const path = `${LIST}/${await asked(at, { title: "Signed out" })}/edit`;
  await bea.browser.open(path);
  const cookies = new Map(bea.browser.cookies);
  bea.browser.cookies.clear();
  const out = await send(bea, path, texts);
  assert.deepEqual([out.status, textsOf(out)], [401, texts]);
  assert.match(said(out), /You are signed out, and nothing was sent/);
  assert.match(out.text, /href="\/admin\/sign-in\?next=[^"]*" target="_blank"/);
  assert.equal((await at.kit.gw.store.approvals.list(["pending"])).length, 2, "nothing was made of it");
  const csrf = /name="csrf" value="([^"]+)"/.exec(out.text)![1]!;
  bea.browser.cookies.clear();
  for (const [name, value] of cookies) bea.browser.cookies.set(name, value); // signed in, in another tab
  const anew = await send(bea, path, texts, csrf);
  assert.deepEqual([anew.status, textsOf(anew)], [403, texts]);
  assert.match(said(anew), /You have signed in anew/);
  const made = await send(bea, path, texts);
  assert.match(plain(made.text), /Edited by bea@agency\.example/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("a form of another site, or of nobody knows where, is not even shown again", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const path = `${LIST}/${await asked(at)}/edit`;
  const body = new URLSearchParams({ "text.title": "Not hers" }).toString();
  const cookie = [...bea.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const signs: readonly Readonly<Record<string, string>>[] = [{ cookie }, {}];
  const senders: readonly Readonly<Record<string, string>>[] = [
    {},
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];
  for (const sender of senders) {
    for (const signedIn of signs) {
      const headers: Record<string, string> = {
        ...sender,
        ...signedIn,
        "content-type": "application/x-www-form-urlencoded",
      };
      const answer = await at.kit.gw.http(path, { method: "POST", as: null, headers, body });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.doesNotMatch(await answer.text(), /Not hers/);
    }
  }
  assert.deepEqual([at.kit.writes, (await at.kit.gw.store.approvals.list()).length], [0, 1]);
});

Deno.test("of a form with more texts than any of ours has, few are shown again, to nobody signed in either", async () => {
  await using at = await asking();
  const path = `${LIST}/${await asked(at)}/edit`;
  const headers = { origin: "http://127.0.0.1:8000", "content-type": "application/x-www-form-urlencoded" };
  const body = "text.=&".repeat(36_000);
  const answer = await at.kit.gw.http(path, { method: "POST", as: null, headers, body });
  assert.equal(answer.status, 401);
  assert.ok((await answer.text()).length < 20_000);
});

Deno.test("who may not decide is led to no form, and of a set and of a call without texts there is none", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const id = await asked(at);
  assert.equal((await eve.browser.open(`${LIST}/${id}/edit`)).status, 404);
  const publish = (await ask(at, { site_id: "open", post_id: at.draft.id }, "publish_post")).approval.id;
  assert.doesNotMatch((await bea.browser.open(`${LIST}/${publish}`)).text, /\/edit"/);
  assert.equal((await bea.browser.open(`${LIST}/${publish}/edit`)).status, 403);
  const create = {
    tool: "create_draft",
    arguments: { site_id: "acme", title: "x", content_html: "<p>x</p>" },
  };
  const set = (await ask(at, { title: "A set", changes: [create] }, "prepare_changes")).approval.id;
  const page = await bea.browser.open(`${LIST}/${set}`);
  assert.match(plain(page.text), /Texts of a set are not edited here/);
  assert.doesNotMatch(page.text, /\/edit"/);
});
