/** Change sets: one preview, one consent, each item a call of its own, proven site by site. */
import assert from "node:assert/strict";
import { test as standIn } from "./_stand_in.ts";

interface Item {
  readonly item: number;
  readonly state: string;
  readonly request_id?: string;
  readonly id?: number;
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

interface Answer {
  readonly needs_confirmation?: boolean;
  readonly confirm_token: string;
  readonly set_id: string;
  readonly state: string;
  readonly items: readonly Item[];
  readonly verified: boolean | null;
  readonly replayed?: boolean;
}

const draft = (site_id: string, title: string) => ({
  tool: "create_draft",
  arguments: { site_id, title, content_html: `<p>${title}</p>` },
});

standIn("a set is shown as one, confirmed once, and each item leaves a row of its own", async (at) => {
  const { gw } = at.kit;
  const changes = [
    draft("acme", "Set one"),
    { tool: "update_draft", arguments: { site_id: "acme", post_id: { $from: 1 }, title: "Set one renamed" } },
    draft("open", "Set two"),
  ];
  const shown = await gw.call<Answer>("prepare_changes", { title: "Three", changes });
  assert.equal(shown.needs_confirmation, true);
  assert.equal(at.kit.writes, 0);
  const order = { title: "Three", changes, confirm: true, confirm_token: shown.confirm_token };
  const done = await gw.call<Answer>("prepare_changes", order);
  assert.equal(done.verified, true);
  assert.deepEqual(done.items.map(({ state }) => state), ["done", "done", "done"]);
  const again = await gw.call<Answer>("prepare_changes", order);
  assert.equal(again.replayed, true);
  const rows = (await gw.audit()).filter((row) => row.set_id === shown.set_id);
  const told = rows.map(({ tool, status, item, outcome }) => [tool, status, item, outcome]);
  assert.deepEqual(told.toSorted(), [
    ["create_draft", "ok", 1, "made"],
    ["create_draft", "ok", 3, "made"],
    ["prepare_changes", "needs_confirmation", undefined, undefined],
    ["prepare_changes", "ok", undefined, "made"],
    ["update_draft", "ok", 2, "made"],
  ]);
  const titles = [...at.cms.posts.values()].map(({ title }) => title);
  assert.deepEqual(titles.filter((one) => one.startsWith("Set")), ["Set one renamed", "Set two"]);
});
