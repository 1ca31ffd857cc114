/** What `manifests/proxies/` says of reading back: which of a site's own tools shows what another one wrote. */
import { z } from "zod";
import { closed } from "../core/fields.ts";

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
const place = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.]{0,127}$/);
const named = z.record(name, name).default({});

/** A rule of it: the first whose `of` fits the name of a write holds. */
export const readBackSchema = closed({
  /** A name, in which `*` stands for any characters. */
  of: z.string().regex(/^[A-Za-z0-9_.*-]+$/),
  tool: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
  id: name.optional(),
  made: z.array(place).default([]),
  by: name.optional(),
  with: z.record(name, z.union([z.string(), z.number()])).default({}),
  ask: named,
  search: named,
  at: z.array(place).default([]),
  names: named,
  like: named,
  unshown: z.array(name).default([]),
  apart: z.array(name).default([]),
  /** In lower case. */
  live: z.record(name, z.array(z.string().regex(/^[a-z_-]{1,40}$/)).min(1)).default({}),
  failed: z.record(name, z.array(z.string().min(1)).min(1)).default({}),
  later: name.optional(),
});

/** One of them, as a file has it. */
export type ReadBackRule = z.output<typeof readBackSchema>;

/** What a rule says that cannot hold. */
export function readBackFaults(rules: readonly ReadBackRule[]): string[] {
  return rules.filter(({ id, made }) => id === undefined && made.length === 0)
    .map(({ of }) => `read_back: nothing names what ${of} wrote; give id or made`);
}
