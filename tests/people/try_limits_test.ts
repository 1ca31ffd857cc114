/** What trials of a person may take of the gateway, and reach. */
import assert from "node:assert/strict";
import { world } from "../tools/_stand_in.ts";
import { plain } from "./kit.ts";
import { before, calls, TRY, UNDO } from "./try_kit.ts";

Deno.test("a person begins sixty trials a minute, and taking back is one of them: no loop fills the store", async () => {
  await using at = await world({ realClock: true });
  const { browser } = await before(at, "update_draft");
  const fields = { "arg.post_id": String(at.draft.id), "arg.title": "After", max_risk: "1" };
  const shown = await browser.submit(TRY, fields);
  await browser.submit(`${shown.path}/confirm`, {});
  const [row] = (await calls(at)).filter(({ outcome }) => outcome === "made");
  await browser.open(`/admin/audit/${row!.request_id}`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(browser.page!.text)![1]!;
  const back = new URLSearchParams({ csrf, request_id: row!.request_id });
  let begun = 1;
  let refused = null;
  while (begun < 120 && refused === null) {
    const answer = await browser.post(UNDO, back);
    if (answer.status === 429) refused = answer;
    else begun++;
  }
  assert.ok(begun >= 60 && begun < 120, `${begun} were begun before one was refused`);
  assert.match(plain(refused!.text), /60 calls a minute; try again/);
  const rows = await at.kit.gw.audit();
  assert.equal(rows.filter(({ tool }) => tool === "token.create").length, begun);
});

Deno.test("the token of a trial names the person's own sites alone, whatever the arguments name", async () => {
  await using at = await world();
  const { browser } = await before(at, "prepare_changes", { allowed_sites: ["open"] });
  const named = (site_id: string, tool = "update_draft") => ({ tool, arguments: { site_id, title: "T" } });
  const items = [named("*"), named("elsewhere", "*"), named("x".repeat(9000), "y".repeat(9000))];
  await browser.submit(TRY, {
    "arg.title": "A set",
    "arg.changes": JSON.stringify([...items, named("open")]),
    max_risk: "1",
  });
  const made = (await at.kit.gw.audit()).find(({ tool }) => tool === "token.create");
  const token = await at.kit.gw.store.tokens.get(String((made!.arguments as { token: string }).token));
  assert.deepEqual(token!.allowed_sites, ["open"]);
  assert.deepEqual(token!.allowed_tools, ["prepare_changes", "update_draft"]);
  assert.deepEqual(at.kit.gw.requests.filter(({ method }) => method !== "GET"), []);
});

Deno.test("the call that is shown for elsewhere is of the site that was tried, whatever the arguments name", async () => {
  await using at = await world();
  const { browser } = await before(at, "get_post");
  const named = JSON.stringify({ post_id: at.draft.id, site_id: "acme" });
  const page = await browser.submit(TRY, { as_json: named, max_risk: "0" });
  assert.match(plain(page.text), /What it answered/);
  assert.doesNotMatch(page.text, /acme/);
  assert.equal((await calls(at))[0]?.site_id, "open");
});
