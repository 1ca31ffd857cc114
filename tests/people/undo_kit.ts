/** Changes by people's agents, and asking on the pages for them to be taken back. */
import assert from "node:assert/strict";
import type { World } from "../tools/_stand_in.ts";
import type { User } from "../../core/model.ts";
import { type PersonBrowser, signedIn } from "./kit.ts";
import { UNDO } from "./try_kit.ts";

/** A browser of a member of all sites. */
export const mia = (at: World) =>
  signedIn(at.kit.gw, "mia@agency.example", { role: "member", allowed_sites: ["*"], max_risk: 3 });

/** What the agent of that person, with a token of its own, is answered over REST. */
export async function agentCalls(at: World, user: User, tool: string, args: object): Promise<Response> {
  const { text } = await at.kit.gw.store.tokens.create({
    ...{ name: "agent", env: "prod", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 3 },
    ...{ skip_write_confirm: false, owner_user_id: user.id },
  });
  return await at.kit.gw.http(`/api/v1/tools/${tool}`, {
    ...{ method: "POST", as: null, body: JSON.stringify({ site_id: "open", ...args }) },
    headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
  });
}

/** A change of the draft's title on "open" by a token of that person, and its request id. */
export async function changedBy(at: World, user: User, title = "After"): Promise<string> {
  const response = await agentCalls(at, user, "update_draft", { post_id: at.draft.id, title, confirm: true });
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
