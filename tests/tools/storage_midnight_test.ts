/** A file that is named by the day, where the day ends between preview and confirm. */
import assert from "node:assert/strict";
import type { Preview } from "../cms_kit.ts";
import { GoogleWorld, TOKEN } from "./_google.ts";

const AUDIT = { site_id: "linked", title: "Technical audit: Größe", content: "# Audit\n" };

Deno.test("a file is saved under the name that was previewed, or the preview is stale after midnight", async () => {
  await using at = await GoogleWorld.open();
  at.gw.clock.now = Date.parse("2026-11-21T23:58:00Z");
  at.google.grant(TOKEN);
  await at.connect(at.user, TOKEN);
  const { changes, confirm_token } = await at.gw.call<Preview>("storage_save_audit", AUDIT);
  assert.ok(changes.some(({ to }) => to === "2026-11-21-technical-audit-große.md"));
  at.gw.clock.now = Date.parse("2026-11-22T00:02:00Z");
  const late = { ...AUDIT, confirm: true, confirm_token };
  await at.gw.refuses("storage_save_audit", late, "E_STALE_PREVIEW", /filename/);
  assert.deepEqual(at.google.writes, []);
});
