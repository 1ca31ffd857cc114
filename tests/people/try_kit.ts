/** Somebody who tries a tool on the pages, and what is left of it. */
import type { AuditRow } from "../../core/model.ts";
import type { World } from "../tools/_stand_in.ts";
import { signedIn } from "./kit.ts";

/** Where tools are tried. */
export const TRY = "/admin/try";
/** Where changes are taken back. */
export const UNDO = "/admin/changes/undo";
/** The address of the form of a tool. */
export const formAt = (tool: string, at = "open") => `${TRY}?site=${at}&tool=${tool}`;
/** The rows of tools' calls, newest first. */
export const calls = async (at: World): Promise<AuditRow[]> =>
  (await at.kit.gw.audit()).filter(({ token_name }) => token_name === "Try");

/** Somebody in front of the form of a tool. */
export async function before(at: World, tool: string, grants = {}) {
  const all = { role: "member", allowed_sites: ["*"], max_risk: 3, ...grants } as const;
  const { user, browser } = await signedIn(at.kit.gw, "mia@agency.example", all);
  await browser.open(formAt(tool));
  return { user, browser };
}
