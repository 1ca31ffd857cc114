/** Erasing what is kept of a site or a person, for whoever holds the master token. */
import type { Hono } from "hono";
import { GatewayError } from "../core/errors.ts";
import { closed, text } from "../core/fields.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import { removeUser } from "../identity/sign_in/removal.ts";
import { callerOf } from "../identity/rights.ts";
import { person, SITE_ID } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";

const body = closed({
  site_id: text("a site id", SITE_ID).optional(),
  user: person.optional(),
  confirm: text("the same id again", /^[^\s\p{Cc}]{1,254}$/u).optional(),
});

/** Adds the route of erasure. */
export function erasureRoutes(app: Hono, ports: AdminPorts): void {
  const { erasing, store } = ports;

  app.post("/admin/api/erase", async (c) => {
    const { site_id, user, confirm } = checked(body, await jsonObject(c.req.raw));
    const asked = site_id ?? user;
    if (asked === undefined || (site_id !== undefined && user !== undefined)) {
      refuseAny(["site_id, user: give one of the two"]);
    }
    if (confirm !== undefined && confirm !== asked) {
      refuseAny([`confirm: expected ${quoted(asked!)} again, as it is written there`]);
    }
    const kind = site_id === undefined ? "user" : "site";
    const id = site_id ?? await userId(user!);
    if (confirm === undefined) {
      return answer(c, { ...await known(erasing.preview(kind, id)), needs_confirmation: true });
    }
    if (kind === "user") await removeUser(ports, callerOf(c).actor, id);
    return answer(c, await known(erasing.erase(kind, id)));

    async function known<T>(work: Promise<T | null>): Promise<T> {
      const report = await work;
      if (report !== null) return report;
      throw new GatewayError(
        "E_NOT_FOUND",
        `Nothing is kept of ${kind} ${
          quoted(asked!)
        }, or what was kept is erased; a user who was removed is named by id`,
      );
    }
  });

  async function userId(user: string): Promise<string> {
    return user.includes("@") ? (await store.users.byEmail(user))?.id ?? user : user;
  }
}
