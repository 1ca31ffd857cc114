/** A location that asks for a pause while the store cannot note it: the call fails, and nothing is left unheard. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import type { SiteContext } from "../../../platforms/_connector/connector.ts";
import type { Lent } from "../../../platforms/_connector/context.ts";
import type { Incoming, Outgoing } from "../../../platforms/_http/request.ts";
import { sendInTurn } from "../../../platforms/tool_servers/paced.ts";
import { unheard } from "../../unheard.ts";

const BUSY = { status: 429, headers: new Headers() } as Incoming;
const OUT = { method: "POST", url: "https://crm.example/mcp", effect: "read", deadline_ms: 1000 } as const;

/** A location whose answers are all refusals, and whose pauses cannot be kept; `sent` is what becomes of a request. */
function context(sent: (out: Outgoing) => Promise<Incoming>): { ctx: SiteContext; lent: Lent } {
  const turn = { at: 0, until: 1, done() {} };
  const pace = {
    blockedUntil: 0,
    take: () => Promise.resolve(turn),
    block: () => Promise.reject(new Error("disk")),
  };
  const ctx = { site: { crm_location_id: "here" } as unknown as Site, deadline: 60_000, now: () => 0 };
  const lent = { settings: {}, pace: () => pace, send: sent, hide: (text: string) => text };
  return { ctx: ctx as unknown as SiteContext, lent };
}

const later = () => new Promise((resolve) => setTimeout(resolve, 1));

Deno.test("a pause that cannot be kept, while the next try is waited for: the call fails", async () => {
  using listening = unheard();
  const { ctx, lent } = context(async (out) => {
    out.busy?.(BUSY, 0);
    await later();
    await out.turn?.(0);
    return BUSY;
  });
  await assert.rejects(sendInTurn(ctx, lent, OUT), /disk/);
  await listening.assertNothing();
});

Deno.test("a pause that cannot be kept, where the request then fails by itself: that is what is told", async () => {
  using listening = unheard();
  const { ctx, lent } = context(async (out) => {
    out.busy?.(BUSY, 0);
    await later();
    throw new Error("broken off");
  });
  await assert.rejects(sendInTurn(ctx, lent, OUT), /broken off/);
  await listening.assertNothing();
});
