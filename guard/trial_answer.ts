/** An answer as a page shows it: facts and lists that a person reads, and the beginning of the whole as text. */
import { Content } from "../core/content.ts";
import { isFields } from "../core/values.ts";
import { redactText } from "./audit/redact.ts";
import type { TrialAnswer, TrialTable } from "../registry/trial_reports.ts";

/** What is kept of the whole, and of one value. */
const TEXT_CHARACTERS = 24 * 1024;
const VALUE_CHARACTERS = 200;
const FACTS_MAX = 40;
const TABLES_MAX = 4;
const ROWS_MAX = 25;
const COLUMNS_MAX = 6;

/** A value in a line; null for what has no line. */
function line(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return clip(value);
  if (!Array.isArray(value)) return null;
  if (value.length === 0) return "none";
  return value.every((one) => typeof one === "string" || typeof one === "number")
    ? clip(value.slice(0, VALUE_CHARACTERS).join(", "))
    : null;
}

const clip = (text: string) =>
  redactText(text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)} …` : text);

/** The list as a table, where what is in it has names. */
function tableOf(name: string, all: readonly unknown[]): TrialTable | null {
  const shown = all.slice(0, ROWS_MAX);
  if (shown.length === 0 || !shown.every(isFields)) return null;
  const names = new Set(shown.flatMap((row) => Object.keys(row).filter((key) => line(row[key]) !== null)));
  const columns = [...names].slice(0, COLUMNS_MAX);
  if (columns.length === 0) return null;
  const rows = shown.map((row) => columns.map((key) => line(row[key]) ?? "…"));
  return { name, columns: columns.map(clip), rows, count: all.length };
}

/** What of an answer a page shows; it may be of any size. */
export function trialAnswer(answer: unknown): TrialAnswer {
  const value = answer instanceof Content ? plainOf(answer) : answer;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "null";
  // Credentials are looked for in what can stand there, and some way behind it.
  const near = redactText(text.slice(0, TEXT_CHARACTERS + 4096)).slice(0, TEXT_CHARACTERS);
  const facts: [string, string][] = [];
  const tables: TrialTable[] = [];
  const fields = Array.isArray(value) ? { "": value } : isFields(value) ? value : {};
  for (const [name, one] of Object.entries(fields)) {
    const table = Array.isArray(one) ? tableOf(clip(name), one) : null;
    const said = line(one);
    if (table !== null) tables.push(table);
    else if (said !== null) facts.push([clip(name), said]);
    else if (isFields(one)) {
      for (const [inner, of] of Object.entries(one).slice(0, FACTS_MAX)) {
        const said = line(of);
        if (said !== null) facts.push([clip(`${name} ${inner}`), said]);
      }
    }
  }
  return {
    text: near,
    characters: text.length,
    facts: facts.slice(0, FACTS_MAX),
    tables: tables.slice(0, TABLES_MAX),
  };
}

/** What a site's own tool answered: what is JSON as that, with what was proven of it; other texts as they are. */
function plainOf({ items, structured, proof }: Content): unknown {
  const texts = items.flatMap((one) => isFields(one) && typeof one["text"] === "string" ? [one["text"]] : []);
  const only = structured ?? (texts.length === 1 ? parsedOf(texts[0]!) : texts.join("\n"));
  if (proof === undefined) return only;
  return isFields(only) ? { ...only, ...proof } : { answer: only, ...proof };
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
