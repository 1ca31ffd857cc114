/** list_changes by whom: tokens and people by what they are called, and what is said where nothing fits. */
import assert from "node:assert/strict";
import type { AuditRow } from "../../core/model.ts";
import type { Args } from "../cms_kit.ts";
import * as operator from "../operator.ts";
import { owned } from "../kit.ts";
import { row } from "../unit/store/kit.ts";
import { test, type World, world } from "./_stand_in.ts";

interface Listed {
  readonly changes: readonly { readonly request_id: string; readonly by: { readonly token: string } }[];
  readonly next: string;
}

const ON = { site_id: "open" };

const change = async (at: World, fields: Args, as: string) =>
  (await at.kit.gw.call<{ request_id: string }>(
    "update_draft",
    { ...ON, post_id: at.draft.id, ...fields, confirm: true },
    { as },
  )).request_id;

const list = (at: World, args: Args, as?: string) =>
  at.kit.gw.call<Listed>("list_changes", { ...ON, ...args }, { as });

/** The ids of what is listed. */
const ids = async (at: World, args: Args, as?: string) =>
  (await list(at, args, as)).changes.map(({ request_id }) => request_id);

const append = (at: World, id: string, fields: Partial<AuditRow>) =>
  at.kit.gw.store.audit.append(row(id, {
    site_id: "open",
    outcome: "made",
    at: new Date(at.kit.gw.clock.now).toISOString(),
    ...fields,
  }));

const member = { super_admin: false } as const;
const people = () => world({ tokens: { ann: member, bob: member, admin: { super_admin: true } } });

Deno.test("who may see all lists the changes of one token, by its id or by the name that its rows show", async () => {
  await using at = await people();
  const [ann, bob] = [
    await change(at, { title: "Ann's" }, "ann"),
    await change(at, { title: "Bob's" }, "bob"),
  ];
  const { id } = (await at.kit.gw.store.tokens.list()).find(({ name }) => name === "ann")!;
  assert.deepEqual(await ids(at, { token: "ann" }, "admin"), [ann]);
  assert.deepEqual(await ids(at, { token: id }, "admin"), [ann]);
  assert.deepEqual(await ids(at, { token: "bob", tool: "update_draft", date: "today" }, "admin"), [bob]);
  // A name that is another token's by now, or two connections', is that of the rows.
  await at.kit.gw.store.tokens.update(id, { name: "ann of before" });
  await append(at, "grant", { token_id: "01GRANT", token_name: "ann" });
  assert.deepEqual(await ids(at, { token: "ann" }, "admin"), ["request-grant", ann]);
  const asked = await operator.ask<Listed>(
    at.kit.gw,
    "GET",
    `changes?site_id=open&date=today&token_id=${id}`,
  );
  assert.deepEqual(asked.result.changes.map((one) => one.request_id), [ann], "an operator too, by day");
});

Deno.test("a token of its own changes alone names itself, and learns of no other", async () => {
  await using at = await people();
  const request_id = await change(at, { title: "Ann's" }, "ann");
  const tokens = await at.kit.gw.store.tokens.list();
  const idOf = (name: string) => tokens.find((one) => one.name === name)!.id;
  for (const token of ["ann", idOf("ann")]) assert.deepEqual(await ids(at, { token }, "ann"), [request_id]);
  for (const token of ["bob", idOf("bob"), "nobody"]) {
    const message = await at.kit.gw.refuses("list_changes", { ...ON, token }, "E_BAD_INPUT", /token: /, {
      as: "ann",
    });
    assert.match(message, /lists its own changes alone/);
  }
  const bobs = await list(at, { tool: "update_draft" }, "bob");
  assert.match(bobs.next, /Nothing was changed here by this token, which lists its own alone/);
});

Deno.test("a person goes by id or by address of e-mail, for who sees them", async () => {
  await using at = await people();
  const { user, token } = await owned(at.kit.gw.store, { email: "Ann@Agency.example" });
  await append(at, "hers", { owner_user_id: user.id, token_id: token.id });
  await append(at, "other", {});
  for (const person of [user.id, "ann@agency.example"]) {
    assert.deepEqual(await ids(at, { person }, "admin"), ["request-hers"]);
  }
  const none = await list(at, { person: "bea@agency.example" }, "admin");
  assert.deepEqual(none.changes, []);
  assert.match(none.next, new RegExp(`persons ${user.id} \\(Ann@Agency.example\\)`));
  const bobs = await list(at, { person: "ann@agency.example" }, "bob");
  assert.ok(!bobs.next.includes(user.id), bobs.next);
});

test("where nothing fits the latest are named by what was asked for, and a tool that there is not is refused with what is close", async (at) => {
  const nothing = await list(at, { client: "x" });
  assert.match(nothing.next, /^Nothing was changed here, as far as the audit goes back\./);
  await change(at, { title: "New" }, "all");
  for (let n = 0; n < 12; n++) {
    await append(at, String(n), {
      client_id: `https://client.example/${n}`,
      token_name: "Client",
      tool: "gone",
    });
  }
  const client = await list(at, { client: "https://client.example/12" });
  assert.match(
    client.next,
    /^Nothing fits\. The latest changes here are of these: clients https:\/\/client\.example\/11, /,
  );
  assert.ok(!client.next.includes("client.example/3"), "the newest alone");
  assert.ok(!client.next.includes("tools"), "only what was asked for");
  assert.match(client.next, /get_content_history/);
  const both = await list(at, { token: "Clint", tool: "publish_post" });
  assert.match(both.next, /tools gone, update_draft; tokens Client, all\./);
  assert.equal((await list(at, { date: "yesterday" })).next.slice(0, 14), "Nothing fits. ");
  assert.match((await list(at, { tool: "get_post" })).next, /^Nothing fits: "get_post" only reads\./);
  await at.kit.gw.refuses(
    "list_changes",
    { ...ON, tool: "update_drft" },
    "E_BAD_INPUT",
    /^tool: No tool is called "update_drft"; did you mean "update_draft"/,
  );
  assert.equal(
    (await list(at, { tool: "gone" })).changes.length > 0,
    true,
    "a tool that is gone has its changes",
  );
  const gone = await list(at, { tool: "gone", date: "yesterday" });
  assert.match(gone.next, /^Nothing fits\. .*tools gone/, "and is not called unknown");
});

test("a change of more files than a row names is named wherever a file is asked for", async (at) => {
  await append(at, "many", { paths: ["a.md"], paths_left_out: 400 });
  await append(at, "one", { paths: ["b.md"] });
  const many = /a change keeps the first by name; these may have written this file too: request-many\./;
  const found = await list(at, { path: "b.md" });
  assert.deepEqual(found.changes.map(({ request_id }) => request_id), ["request-one"]);
  assert.match(found.next, many);
  assert.match((await list(at, { path: "c.md" })).next, many);
  assert.doesNotMatch((await list(at, {})).next, many);
  const elsewhere = await list(at, { path: "/texts/B.md" });
  assert.match(
    elsewhere.next,
    /^Nothing fits\. The latest changes here are of these: paths b\.md\./,
    "is it that one?",
  );
});

test("more of which nobody knows than a page names are said to be there", async (at) => {
  const more = /There are more under unknown: narrow it by tool, id, path or date\./;
  for (let n = 0; n < 3; n++) await append(at, `three-${n}`, { outcome: "unknown" });
  assert.doesNotMatch((await list(at, {})).next, more);
  await append(at, "four", { outcome: "unknown", tool: "update_draft" });
  assert.match((await list(at, {})).next, more);
  assert.doesNotMatch((await list(at, { tool: "update_draft" })).next, more);
});

test("a page has 4 KB at most with all that is said beside its rows", async (at) => {
  at.cms.inject({ kind: "html", status: 404 }, { method: "GET" });
  const long = { token_name: "t".repeat(100), client_id: `https://client.example/${"c".repeat(100)}` };
  for (let n = 0; n < 30; n++) {
    const more = n % 5 === 0 ? { paths_left_out: 400 } : {};
    const outcome = n % 6 === 1 ? "unknown" : "made";
    await append(at, `many-and-a-long-id-${n}`, { ...long, ...more, paths: ["p.md"], outcome });
  }
  const page = await list(at, { path: "p.md", date: "today" });
  assert.match(
    page.next,
    /call again with this cursor\. There are more under unknown.*one of UTC\. Of very many files/,
  );
  const bytes = new TextEncoder().encode(JSON.stringify(page)).length;
  assert.ok(bytes <= 4096, `${bytes} bytes`);
  assert.ok(bytes > 3300, `${bytes} bytes: the room is used`);
});

test("a day of a site that does not tell its time zone is said to be one of UTC", async (at) => {
  const untold = /The site did not tell its time zone, so the day is one of UTC\./;
  await change(at, { title: "New" }, "all");
  assert.doesNotMatch((await list(at, { date: "today" })).next, untold);
  at.cms.inject({ kind: "html", status: 404 }, { method: "GET" });
  at.kit.gw.clock.now += 24 * 60 * 60_000; // a time zone is remembered for a while
  assert.match((await list(at, { date: "yesterday" })).next, untold);
});

test("what visitors got at once is marked: a publication, and a change of what was live", async (at) => {
  await change(at, { title: "Draft" }, "all");
  const post = { ...ON, post_id: at.draft.id, confirm: true };
  await at.kit.gw.call("publish_post", post);
  await at.kit.gw.call("revise_published", { ...post, title: "Corrected" });
  const { changes } = await at.kit.gw.call<{ changes: Args[] }>("list_changes", ON);
  assert.deepEqual(changes.map(({ tool, live }) => [tool, live]), [
    ["revise_published", true],
    ["publish_post", true],
    ["update_draft", undefined],
  ]);
});
