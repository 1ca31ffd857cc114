/** What a call brought into being before it failed: named in the failure's message and in the audit row. */
import type { GatewayError } from "../../core/errors.ts";
import type { Made } from "../../core/model.ts";
import { redactText } from "../audit/redact.ts";

const NAME_CHARACTERS = 200;

/** Fit for an audit row, and for a person: nothing in its name that looks like a credential, and no endless one. */
export const fitForRow = (made: Made): Made =>
  made.name === undefined ? made : { ...made, name: redactText(made.name.slice(0, NAME_CHARACTERS)) };

/** The message with what the call had made by then at its end, but for what the message names already. */
export function namingMade(message: string, made: readonly Made[]): string {
  const left = made.filter((one) => !names(message, one)).map(fitForRow);
  const [sure, unsure] = [left.filter((one) => !one.unsure), left.filter((one) => one.unsure)];
  const had = sure.length > 0 ? `; by then it had made ${sure.map(words).join(", ")}` : "";
  const may = unsure.length > 0 ? `; it may have made ${unsure.map(words).join(", ")}` : "";
  return `${message}${had}${may}`;
}

/** The failure with such a message; the same where there is nothing to add. */
export function withPartialResult(failure: GatewayError, made: readonly Made[]): GatewayError {
  const message = namingMade(failure.message, made);
  return message === failure.message ? failure : failure.saying(message);
}

function words({ what, id, name }: Made): string {
  if (name === undefined) return `${what} ${id ?? "without a known id"}`;
  return id === null ? `${what} ${JSON.stringify(name)}` : `${what} ${id} (${JSON.stringify(name)})`;
}

/** Whether a message says `Post 12`, or in quotes an id that is no number: "12" may be anything that somebody sent. */
function names(message: string, { what, id }: Made): boolean {
  if (id === null) return false;
  if (Number.isNaN(Number(id)) && message.includes(JSON.stringify(String(id)))) return true;
  const named = `${what} ${id}`.toLowerCase();
  const at = message.toLowerCase().indexOf(named);
  return at >= 0 && !/\w/.test(message[at + named.length] ?? " ");
}
