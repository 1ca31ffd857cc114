/** undo_change of a change that made tags and categories: they stay, and the preview and the answer name them. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { test, type World } from "./_stand_in.ts";

interface Done {
  readonly request_id: string;
  readonly undone: readonly string[];
  readonly warnings: readonly string[];
}

const ON = { site_id: "open" };

const call = (at: World, tool: string, args: Args) =>
  at.kit.gw.call<Done>(tool, { ...ON, ...args, confirm: true });

const tagged = (at: World, args: Args) => call(at, "update_draft", { post_id: at.draft.id, ...args });

/** The term of that name, as it is named to a person. */
function term(at: World, name: string): string {
  const found = [...at.cms.state.terms.values()].find((one) => one.name === name);
  assert.ok(found, `${name} is there`);
  return `${found.id} "${name}"`;
}

const staying = (warnings: readonly string[]) => warnings.filter((text) => text.startsWith("Made new"));

for (const door of DOORS) {
  test(`through ${door} what stays is named before and after, by kind and with where it is deleted`, async (at) => {
    await call(at, "create_taxonomy", { taxonomy: "tag", name: "Known" });
    const { request_id } = await tagged(at, { tags: ["Known", "Fresh", "Newer"], categories: ["Topic"] });
    const preview = await at.kit.gw.call<Done>("undo_change", { ...ON, request_id }, { door });
    const expected = [
      `tag ${term(at, "Fresh")}, ${
        term(at, "Newer")
      }; what nothing uses any more a person deletes in the site's ` +
      "admin under Posts > Tags",
      `category ${
        term(at, "Topic")
      }; what nothing uses any more a person deletes in the site's admin under Posts > ` +
      "Categories",
    ].map((text) => `Made new and staying, for nothing is deleted here: ${text}`);
    assert.deepEqual(staying(preview.warnings).toSorted(), expected.toSorted());
    const done = await at.kit.gw.call<Done>("undo_change", { ...ON, request_id, confirm: true }, { door });
    assert.deepEqual([done.undone, staying(done.warnings).toSorted()], [[request_id], expected.toSorted()]);
    term(at, "Fresh"); // it stays
    const again = await call(at, "undo_change", { request_id: done.request_id });
    assert.deepEqual(staying(again.warnings), [], "an undo has made nothing");
  });
}

test("of several changes those of what goes back are named once, and of a change that is left out none", async (at) => {
  const [post] = [at.scheduled.id];
  const one = await tagged(at, { tags: ["One"] });
  const two = await tagged(at, { tags: ["One", "Two"], title: "Two" });
  const other = await call(at, "update_draft", { post_id: post, tags: ["Left"], title: "Other" });
  at.edit(at.scheduled, { title: "A person's" });
  const ids = [one, two, other].map(({ request_id }) => request_id);
  const done = await call(at, "undo_change", { request_ids: ids });
  assert.deepEqual(done.undone.toSorted(), ids.slice(0, 2).toSorted());
  const [said, ...more] = staying(done.warnings);
  assert.deepEqual(more, []);
  assert.ok(said!.includes(term(at, "One")) && said!.includes(term(at, "Two")), said);
  assert.ok(!said!.includes("Left"), said);
});

test("a change that made no term says nothing of any", async (at) => {
  const { request_id } = await tagged(at, { title: "New" });
  assert.deepEqual(staying((await call(at, "undo_change", { request_id })).warnings), []);
});
