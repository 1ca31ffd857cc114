/** Arguments of upstream tools whose names carry a prefix that says where they are put: served without it. */

/** What of argument names is not served. */
export interface ArgumentNames {
  readonly prefixes: readonly string[];
  /** Names, without prefix, of arguments that the gateway fills in itself. */
  readonly filled: readonly string[];
  /** Those that are filled in only beside another one, under the same prefix; elsewhere they mean something else. */
  readonly filled_beside: Readonly<Record<string, string>>;
}

/** The name without its prefix. */
export function bareName(name: string, prefixes: readonly string[]): string {
  const prefix = prefixes.find((one) => name.startsWith(one) && name.length > one.length);
  return prefix === undefined ? name : name.slice(prefix.length);
}

/** Names of arguments that are the gateway's own. */
const OURS: ReadonlySet<string> = new Set(["site_id", "confirm", "confirm_token"]);

/** The served name of each: without its prefix, unless two would become one, or one would be the gateway's own. */
export function servedNames(
  names: readonly string[],
  prefixes: readonly string[],
): ReadonlyMap<string, string> {
  const count = new Map<string, number>();
  for (const name of names) {
    const bare = bareName(name, prefixes);
    count.set(bare, (count.get(bare) ?? 0) + 1);
  }
  return new Map(names.map((name) => {
    const bare = bareName(name, prefixes);
    return [name, count.get(bare) === 1 && !OURS.has(bare) ? bare : name];
  }));
}

/** The schema with the names that are served, without what the gateway fills in. */
export function servedArguments(
  schema: Readonly<Record<string, unknown>>,
  { prefixes, filled, filled_beside }: ArgumentNames,
): Record<string, unknown> {
  const { properties = {}, required = [], ...rest } = schema as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  const isFilled = (name: string) => {
    const bare = bareName(name, prefixes);
    if (filled.includes(name) || filled.includes(bare)) return true;
    const beside = Object.hasOwn(filled_beside, bare) ? filled_beside[bare] : undefined;
    return beside !== undefined &&
      Object.hasOwn(properties, name.slice(0, name.length - bare.length) + beside);
  };
  const given = Object.keys(properties).filter((name) => !isFilled(name));
  const names = servedNames(given, prefixes);
  const demanded = required.flatMap((name) => names.get(name) ?? []);
  return {
    ...rest,
    properties: Object.fromEntries(given.map((name) => [names.get(name)!, properties[name]])),
    ...(demanded.length > 0 ? { required: demanded } : {}),
  };
}
