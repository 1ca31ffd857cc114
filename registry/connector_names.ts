/** The names that connectors bring to tables they share; each name may be there only once. */
import type { Connector } from "../platforms/_connector/connector.ts";
import { optionOf } from "./field_schema.ts";

/** What connectors name of a kind of things, by name; a name given twice is a fault. */
export function collected<T>(
  all: readonly Connector[],
  what: string,
  of: (one: Connector) => Iterable<readonly [string, T]>,
  faults: string[],
): Map<string, T> {
  const found = new Map<string, T>();
  const owners = new Map<string, string>();
  for (const one of all) {
    for (const [name, value] of of(one)) {
      const owner = owners.get(name);
      if (owner === undefined) {
        owners.set(name, one.name);
        found.set(name, value);
      } else {
        const whose = owner === one.name ? "is named twice" : `is that of "${owner}" too`;
        faults.push(`platforms/${one.name}: the ${what} "${name}" ${whose}`);
      }
    }
  }
  return found;
}

/** The options of `site add` and `site update` that a connector makes. */
export function* optionsOf(
  { siteFields = {}, credentials = {} }: Connector,
): Generator<readonly [string, true]> {
  for (const [name, field] of Object.entries(siteFields)) yield [optionOf(name, field), true];
  for (const { fields } of Object.values(credentials)) {
    for (const { option, variable } of Object.values(fields)) {
      if (variable === undefined) yield [option, true];
      else yield* [[`${option}-stdin`, true] as const, [`${option}-env`, true] as const];
    }
  }
}

/** The variables of the environment that a connector reads, its settings' and its credentials'. */
export function* variablesOf(
  { settings = {}, credentials = {} }: Connector,
): Generator<readonly [string, true]> {
  for (const name of Object.keys(settings)) yield [name, true];
  for (const { fields } of Object.values(credentials)) {
    for (const { variable } of Object.values(fields)) if (variable !== undefined) yield [variable, true];
  }
}

/** The checks of sites of one kind. */
export function* checksOf({ checks = [] }: Connector, kind: string): Generator<readonly [string, true]> {
  for (const { kinds, names } of checks) {
    if (kinds === undefined || (kinds as readonly string[]).includes(kind)) {
      for (const name of names) yield [name, true];
    }
  }
}
