/** The operator's view of changes: listed over all tokens, taken back through the same steps as for every caller. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import * as operator from "../operator.ts";
import { test, type World } from "./_stand_in.ts";

type Found = Args & { readonly changes: readonly Args[] };
const ask = (at: World, method: string, path: string, body?: unknown, token?: string) =>
  operator.ask<Found>(at.kit.gw, method, path, body, token);
const admin = (at: World, ...args: string[]) => operator.admin(at.kit.gw, ...args);

async function change(at: World, fields: Args): Promise<string> {
  const args = { site_id: "open", post_id: at.draft.id, ...fields, confirm: true };
  return (await at.kit.gw.call<{ request_id: string }>("update_draft", args)).request_id;
}

const title = async (at: World) =>
  (await at.kit.gw.call<Args>("get_post", { site_id: "open", post_id: at.draft.id }))["title"];

test("an operator sees the changes of every site and takes one back, previewed and bound to what was shown", async (at) => {
  const request_id = await change(at, { title: "New" });
  const listed = await ask(at, "GET", "changes");
  assert.deepEqual(listed.result.changes.map((one) => [one["request_id"], one["undoable"]]), [[
    request_id,
    true,
  ]]);
  const id = String(at.draft.id);
  for (
    const query of [
      `id=${id}&site_id=open`,
      "site_id=open&date=today",
      "site_id=open&date=today&token_id=all",
      "tool=update_draft",
      "token_id=",
      "token_id=all",
      `token_id=${(await at.kit.gw.store.tokens.list()).find(({ name }) => name === "all")!.id}`,
    ]
  ) {
    assert.equal((await ask(at, "GET", `changes?${query}`)).result.changes.length, 1, query);
  }
  for (const query of ["id=999&site_id=open", "token_id=nobody", "owner_user_id=ann@agency.example"]) {
    assert.equal((await ask(at, "GET", `changes?${query}`)).result.changes.length, 0, query);
  }
  assert.equal((await ask(at, "GET", "changes?site_id=open&date=yesterday")).result.changes.length, 0);

  const order = { site_id: "open", request_ids: [request_id] };
  const before = at.kit.writes;
  const { result: preview } = await ask(at, "POST", "undo", order);
  assert.equal(preview["needs_confirmation"], true);
  assert.deepEqual(preview.changes.map(({ field, from, to }) => [field, from, to]), [[
    "title",
    "New",
    "Before",
  ]]);
  assert.equal(at.kit.writes, before, "a preview writes nothing");
  const { result: done } = await ask(at, "POST", "undo", {
    ...order,
    confirm_token: preview["confirm_token"],
  });
  assert.deepEqual([done["undone"], done["verified"]], [[request_id], true]);
  assert.equal(await title(at), "Before");
  const { rows: [row] } = await at.kit.gw.store.audit.list({ tool: "undo_change", outcome: "made" }, {
    limit: 1,
  });
  const { door, token_name, site_id, outcome } = row!;
  assert.deepEqual(
    { door, token_name, site_id, outcome, id: row!.id },
    { door: "admin", token_name: "master token", site_id: "open", outcome: "made", id: done["request_id"] },
  );
  assert.equal(
    (await ask(at, "GET", "changes")).result.changes.find((one) => one["request_id"] === request_id)
      ?.["undone_by"],
    done["request_id"],
  );
});

test("the guards of undo_change hold for an operator too, and what is refused has sent no write", async (at) => {
  const request_id = await change(at, { title: "New" });
  await change(at, { title: "A person's" });
  const before = at.kit.writes;
  const order = { site_id: "open", request_ids: [request_id] };
  assert.equal((await ask(at, "POST", "undo", order)).error.code, "E_STALE_PREVIEW");
  const unshown = { ...order, confirm_token: `cft_${"a".repeat(22)}` };
  assert.equal((await ask(at, "POST", "undo", unshown)).error.code, "E_CONFIRM_INVALID");
  const refusals = [
    [{ site_id: "open" }, "E_BAD_INPUT", /request_id/],
    [{ ...order, site_id: "none" }, "E_NOT_FOUND", /No site "none"/],
    [{ ...order, request_ids: ["x"] }, "E_BAD_INPUT", /request_ids/],
    [{ ...order, confirm: true }, "E_BAD_INPUT", /confirm/],
  ] as const;
  for (const [body, code, says] of refusals) {
    const { error } = await ask(at, "POST", "undo", body);
    assert.equal(error.code, code, JSON.stringify(error));
    assert.match(error.message, says);
  }
  assert.match(
    (await ask(at, "GET", "changes?date=today")).error.message,
    /date: goes with site_id/,
  );
  assert.equal((await ask(at, "POST", "undo", order, "x".repeat(40))).error.code, "E_AUTH");
  assert.equal(at.kit.writes, before);
});

test("the command line lists, shows what an undo would set, and does it once it is confirmed", async (at) => {
  const request_id = await change(at, { title: "New" });
  const listed = await admin(at, "changes", "--site", "open", "--id", String(at.draft.id));
  assert.equal(listed.code, 0, listed.err);
  assert.match(listed.out, new RegExp(`${request_id} +update_draft .*title.* yes`));
  const shown = await admin(at, "undo", request_id, "--site", "open");
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /title: New -> Before/);
  const [, token = ""] = /Nothing was changed\..*--confirm (cft_\S+)/.exec(shown.out) ?? [];
  assert.equal(await title(at), "New");
  const since = ["undo", "--site", "open", "--since", new Date(at.kit.gw.clock.now - 60_000).toISOString()];
  assert.match((await admin(at, ...since, "--token", "all")).out, /title: New -> Before/);
  assert.match((await admin(at, ...since, "--token", "another")).err, /no change from then on/);
  const done = await admin(at, "undo", request_id, "--site", "open", "--confirm", token);
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, new RegExp(`^Taken back: ${request_id}; the site shows it so`));
  assert.equal(await title(at), "Before");
  const again = await admin(at, "undo", request_id, "--site", "open");
  assert.match(again.err, /E_STALE_PREVIEW: .*was taken back already/);
  assert.match((await admin(at, "undo", "--site", "open")).err, /Give request ids, --set or --since/);
  assert.match(
    (await admin(at, "gateway", "health")).out,
    /What stood there before 2 changes is kept \(0\.0 MiB\)/,
  );
});
