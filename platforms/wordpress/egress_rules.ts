/** How what is written to a CMS is judged: by names of fields, each route with a list of its own. */
import type { Site } from "../../model.ts";
import type { Outgoing } from "../request.ts";

/** Why a request may not be sent, or null. */
export type Judge = (out: Outgoing, now: number, site: Site) => string | null;
export type Fields = Readonly<Record<string, unknown>>;

/** Judges the body's fields; a body that has none is refused. */
export function fields(judge: (body: Fields, site: Site) => string | null): Judge {
  return ({ json }, _now, site) =>
    typeof json === "object" && json !== null && !Array.isArray(json)
      ? judge(json as Fields, site)
      : "its body is not a list of fields";
}

/** Refuses every field but these. */
export function only(body: Fields, names: readonly string[]): string | null {
  const stranger = Object.keys(body).find((name) => !names.includes(name));
  return stranger === undefined ? null : `the field "${stranger}" is never set`;
}
