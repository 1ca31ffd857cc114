/** The query string of a request, by a schema. */
import type { z } from "zod";
import { checked, refuseAny } from "../core/faults.ts";

/** The parameters; one that stands twice is refused, an empty one counts as absent. Throws E_BAD_INPUT. */
export function parameters<S extends z.ZodType>(schema: S, url: string): z.output<S> {
  const given = new URL(url).searchParams;
  const names = [...given.keys()];
  refuseAny(
    [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) =>
      `${name.slice(0, 60)}: stands more than once`
    ),
  );
  return checked(schema, Object.fromEntries([...given].filter(([, value]) => value !== "")));
}
