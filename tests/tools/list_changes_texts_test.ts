/** list_changes with texts: what each change replaced and by what, and which later ones must be taken back before it. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { test, type World, world } from "./_stand_in.ts";

interface Row {
  readonly request_id: string;
  readonly undoable: boolean;
  readonly undoable_reason?: string;
  readonly undo_first?: readonly string[];
  readonly replaced?: readonly Replaced[];
}

interface Replaced {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly shortened?: { readonly from?: number; readonly to?: number };
}

interface Listed {
  readonly changes: readonly Row[];
  readonly next: string;
}

const ON = { site_id: "open" };

const change = async (at: World, fields: Args, as?: string) =>
  (await at.kit.gw.call<{ request_id: string }>(
    "update_draft",
    { ...ON, post_id: at.draft.id, ...fields, confirm: true },
    { as },
  )).request_id;

/** The rows, and how many requests the site got for them. */
async function rows(at: World, args: Args = {}, as?: string) {
  const before = at.cms.requests.length;
  const { changes, next } = await at.kit.gw.call<Listed>("list_changes", { ...ON, ...args }, { as });
  assert.equal(at.cms.requests.length, before, "nothing is asked of the site");
  return { changes, next };
}

const undo = (at: World, request_id: string) =>
  at.kit.gw.call<{ request_id: string }>("undo_change", { ...ON, request_id, confirm: true });

const LONG = "<p>The office is open from eight to five on every day of the week.</p>".repeat(8);

test("the first of two changes shows what it replaced and by what, cut to what differs", async (at) => {
  await change(at, { content_html: LONG });
  const second = LONG.replace("eight to five", "nine to six");
  await change(at, { title: "New", content_html: second });
  await change(at, { content_html: "<p>Closed</p>" });
  const { changes } = await rows(at, { id: at.draft.id, texts: true });
  const [newest, middle, first] = changes;
  assert.equal(middle!.replaced![0]!.field, "title");
  assert.deepEqual([middle!.replaced![0]!.from, middle!.replaced![0]!.to], ["Before", "New"]);
  const { field, from, to } = middle!.replaced![1]!;
  assert.equal(field, "content_html");
  assert.match(String(from), /open from eight to five on every/);
  assert.match(String(to), /open from nine to six on every/);
  assert.ok(String(from).length < 200, "cut to what differs");
  assert.deepEqual(first!.replaced!.map(({ from }) => from), ["<p>Old</p>"]);
  assert.equal(newest!.replaced!.at(-1)!.to, "<p>Closed</p>");
  const { changes: without } = await rows(at, { id: at.draft.id });
  assert.ok(without.every((one) => one.replaced === undefined));
});

test("the only change of a set shows what it replaced, and what has to be taken back before it", async (at) => {
  const { site_id, ...fields } = { ...ON, post_id: at.draft.id, content_html: "<p>In a set</p>" };
  const changes = [{ tool: "update_draft", arguments: { site_id, ...fields } }];
  const { set_id } = await at.kit.gw.call<{ set_id: string }>("prepare_changes", {
    title: "One",
    changes,
    confirm: true,
  });
  const later = await change(at, { content_html: "<p>Later</p>" });
  for (const filter of [{ id: at.draft.id }, {}, { set: set_id }]) {
    const { changes: all } = await rows(at, { ...filter, texts: true });
    const row = all.find((one) => one.request_id !== later)!;
    const text = { field: "content_html", from: "<p>Old</p>", to: "<p>In a set</p>" };
    assert.deepEqual(row.replaced, [text], JSON.stringify(filter));
    assert.deepEqual(row.undo_first, [later], JSON.stringify(filter));
  }
});

/** Where a text that is shown in part stands whole. */
const BEGINNING = /get_content_history with from: previous/;

test("of a long text that no later change replaced the beginning is shown, and where the rest is", async (at) => {
  await change(at, { content_html: LONG });
  const { changes: [row], next } = await rows(at, { texts: true });
  const { from, to, shortened } = row!.replaced![0]!;
  assert.equal(from, "<p>Old</p>");
  assert.equal(to, LONG.slice(0, 200));
  assert.deepEqual(shortened, { to: LONG.length });
  assert.match(next, BEGINNING);
  const plain = await rows(at);
  assert.match(plain.next, /texts: true shows what each replaced/);
});

test("a text of the site that ends as a shortened one once did is taken for whole", async (at) => {
  for (const text of ["<p>A</p> … (552 bytes)", "Files of at most (1024 bytes)"]) {
    await change(at, { title: text });
    const { changes: [row], next } = await rows(at, { texts: true });
    const [{ to, shortened }] = row!.replaced as [Replaced];
    assert.deepEqual([to, shortened], [text, undefined]);
    assert.doesNotMatch(next, BEGINNING);
  }
});

test("what looks like a credential is hidden in the texts too", async (at) => {
  const key = `AKIA${"Z2345678ABCDEFGH"}`;
  await change(at, { content_html: `<p>${key}</p>${LONG}` });
  await change(at, { content_html: `<p>Gone</p>${LONG}` });
  const told = JSON.stringify((await rows(at, { texts: true })).changes);
  assert.ok(!told.includes(key), told);
  assert.match(told, /Gone/);
});

test("a change that a later one covers names what must be taken back first, as undo_change wants it", async (at) => {
  const first = await change(at, { title: "One" });
  const beside = await change(at, { excerpt: "Other field" });
  const second = await change(at, { title: "Two" });
  const by = async () => {
    const { changes } = await rows(at, { id: at.draft.id });
    return (id: string) => changes.find(({ request_id }) => request_id === id)!;
  };
  const told = await by();
  assert.deepEqual([told(first).undoable, told(first).undo_first], [true, [second]]);
  assert.deepEqual([told(beside).undo_first, told(second).undo_first], [undefined, undefined]);
  await at.kit.gw.refuses("undo_change", { ...ON, request_id: first, confirm: true }, "E_STALE_PREVIEW");
  await undo(at, second);
  assert.equal((await by())(first).undo_first, undefined);
  await undo(at, first);
});

Deno.test("where the later one is another token's the older is not undoable for who may not list it, with the reason", async () => {
  const member = { super_admin: false } as const;
  await using at = await world({ tokens: { ann: member, bob: member, admin: { super_admin: true } } });
  const anns = await change(at, { title: "Ann's" }, "ann");
  const bobs = await change(at, { title: "Bob's" }, "bob");
  const { changes: [own], next } = await rows(at, { texts: true }, "ann");
  assert.deepEqual([own!.request_id, own!.undoable, own!.undo_first], [anns, false, undefined]);
  assert.match(own!.undoable_reason!, /^A later change of another token stands on it/);
  assert.ok(!JSON.stringify([own, next]).includes(bobs));
  const { changes } = await rows(at, {}, "admin");
  assert.deepEqual(changes[1]!.undo_first, [bobs]);
});
