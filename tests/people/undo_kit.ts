/** Changes by people's agents, and asking on the pages for them to be taken back. */
import assert from "node:assert/strict";
import type { World } from "../tools/_stand_in.ts";
import type { User } from "../../core/model.ts";
import type { PersonBrowser } from "./kit.ts";
import { UNDO } from "./try_kit.ts";

/** A change of the draft's title on "open" by a token of that person, and its request id. */
export async function changedBy(at: World, user: User, title = "After"): Promise<string> {
  const { text } = await at.kit.gw.store.tokens.create({
    ...{ name: "agent", env: "prod", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 3 },
    ...{ skip_write_confirm: false, owner_user_id: user.id },
  });
  const body = JSON.stringify({ site_id: "open", post_id: at.draft.id, title, confirm: true });
  const response = await at.kit.gw.http("/api/v1/tools/update_draft", {
    ...{ method: "POST", as: null, body },
    headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
  });
  assert.equal(response.status, 200, await response.text());
  return (await at.kit.gw.audit()).find(({ outcome, tool }) => tool === "update_draft" && outcome === "made")!
    .request_id;
}

/** What the forms of the browser's session are sent with. */
export const proofOf = async (browser: PersonBrowser) =>
  /name="csrf" value="([^"]+)"/.exec((await browser.open("/admin/changes")).text)![1]!;

/** Asks for it as the button of the row does, whether or not it is shown there. */
export async function asks(browser: PersonBrowser, ...ids: readonly string[]) {
  const csrf = await proofOf(browser);
  const body = new URLSearchParams([["csrf", csrf], ...ids.map((id) => ["request_id", id])]);
  return await browser.post(UNDO, body);
}
