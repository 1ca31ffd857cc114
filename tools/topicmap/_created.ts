/** What making a job and making an audit share: what was made is read once more, and compared. */
import { GatewayError } from "../../core/errors.ts";

/** Whether two values of JSON are the same, whatever the order of their names. */
function same(one: unknown, other: unknown): boolean {
  const sorted = (value: unknown) =>
    typeof value === "object" && value !== null
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      : value;
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/**
 * What stands of the fields that were sent, as `read` shows it; `hidden` are those it never shows. A failure to read is
 * no failure of the write, which stands: it is reported as not compared.
 */
export async function readBack(
  sent: Readonly<Record<string, unknown>>,
  hidden: readonly string[],
  read: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<{ differences: string[]; uncompared?: string }> {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  let found: Readonly<Record<string, unknown>>;
  try {
    found = await read();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { differences: [], uncompared: `What was made could not be read back: ${thrown.message}` };
  }
  const unseen = given.map(([name]) => name)
    .filter((name) => hidden.includes(name) && (found[name] ?? null) === null);
  const differences = given.filter(([name, value]) => !unseen.includes(name) && !same(found[name], value))
    .map(([name]) => `${name}: is ${JSON.stringify(found[name] ?? null)} now`);
  if (unseen.length === 0) return { differences };
  return { differences, uncompared: `The topic-planning service does not show ${unseen.join(", ")}` };
}
