/** Which location a record of the CRM is of, by what it says itself; the name of a field alone does not say what its value is. */

type Fields = Readonly<Record<string, unknown>>;

/** Names of fields whose value is always a location. */
const LOCATION: readonly string[] = ["locationId", "location_id"];
/** An id of several kinds: of a location only where `KIND` beside it says so, of a message its carrier's own. */
const OF_KIND = "altId";
const KIND = "altType";
const LOCATION_KIND = "location";
/** What visitors sent with a form, under names of their own. */
const FILLED_IN = "others";

/** Whether the kind beside an id says that the id is a location's. */
export const isLocationKind = (kind: unknown): boolean =>
  typeof kind === "string" && kind.toLowerCase() === LOCATION_KIND;

/** The ids of locations that an object names, itself and of nothing within it. */
function locationsOf(value: Fields): unknown[] {
  const named = LOCATION.map((name) => value[name]);
  const all = isLocationKind(value[KIND]) ? [...named, value[OF_KIND]] : named;
  return all.filter((id) => typeof id === "string" && id !== "");
}

/**
 * Whether an answer of the CRM holds a record of another location, so many levels deep. What a record of the own location
 * has within it is that location's, whatever its names say: a payment's receipt names places of the payment service.
 */
export function namesAnotherLocation(value: unknown, own: string, levels: number): boolean {
  if (typeof value !== "object" || value === null || levels === 0) return false;
  if (Array.isArray(value)) return value.some((one) => namesAnotherLocation(one, own, levels - 1));
  const fields = value as Fields;
  const named = locationsOf(fields);
  if (named.some((id) => id !== own)) return true;
  if (named.length > 0 && (isId(fields.id) || isId(fields._id))) return false;
  return Object.entries(fields).some(([name, one]) =>
    name !== FILLED_IN && namesAnotherLocation(one, own, levels - 1)
  );
}

const isId = (value: unknown) => typeof value === "string" || typeof value === "number";
