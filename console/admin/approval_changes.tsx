/** What a request would change: short values as a table, from and to; every long text by itself. */
import { formOf } from "../../core/one_line.ts";
import type { Child } from "hono/jsx";
import type { ApprovalPreview, ApprovalReport } from "../../admin/ports.ts";
import { redactText } from "../../core/credentials.ts";
import type { Change } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { Table } from "../table.tsx";
import {
  comparedText,
  type Drawing,
  fitting,
  marked,
  oneSide,
  stretchesOf,
  takes,
  wholeText,
} from "./approval_text.tsx";
import { fieldName } from "./approval_words.ts";

/** Values up to here stand in the table. */
const SHORT_CHARACTERS = 200;

/** A value as one text; null for none. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.length === 0) return null;
  const flat = Array.isArray(value) && value.every((one) => typeof one !== "object");
  return flat ? value.map(String).join(", ") : JSON.stringify(value, null, 2) ?? null;
}

const isShort = (text: string | null): boolean =>
  text === null || (text.length <= SHORT_CHARACTERS && !text.includes("\n"));

const NOTHING = <span class="nothing">nothing</span>;

/** Where a value comes from that the changed thing itself does not have. */
const originOf = ({ origin }: Change): Child =>
  origin === undefined ? null : <span class="hint">{` (from ${seen(origin)})`}</span>;

/** One side of a short value. */
function side(change: Change, which: "from" | "to", on: Drawing): Child {
  const [from, to] = [valueText(change.from), valueText(change.to)];
  const text = which === "from" ? from : to;
  if (text === null) return NOTHING;
  if (from === null || to === null) return <span dir="auto">{marked(fitting(text, on))}</span>;
  return oneSide(stretchesOf(from, to, on), which === "from" ? "gone" : "new", on);
}

/** A long text, under its name. */
function longText(change: Change, on: Drawing): Child {
  const [from, to] = [valueText(change.from), valueText(change.to)];
  const what = from === null ? "New" : to === null ? "Taken away" : null;
  return (
    <section>
      <h3>{fieldName(change.field)}{originOf(change)}</h3>
      {what && <p class="hint">{what}:</p>}
      {from === null
        ? wholeText(to ?? "", on)
        : to === null
        ? wholeText(from, on)
        : comparedText(from, to, on)}
    </section>
  );
}

/** The markup of a row, and of a text by itself. */
const ROW_BYTES = 400;

const lengthOf = ({ from, to }: Change) => (valueText(from) ?? "").length + (valueText(to) ?? "").length;

/** Fields, short ones as a table. */
function fieldsOf(changes: readonly Change[], on: Drawing): Child {
  const fits = (change: Change) =>
    takes(ROW_BYTES + 4 * fieldName(change.field).length, Math.max(1, lengthOf(change)), on);
  const isRow = ({ from, to }: Change) => isShort(valueText(from)) && isShort(valueText(to));
  const rows = changes.filter((change) => isRow(change) && fits(change)).map((change) => [
    fieldName(change.field),
    <>
      {side(change, "from", on)}
      {originOf(change)}
    </>,
    side(change, "to", on),
  ]);
  const texts = changes.filter((change) => !isRow(change) && fits(change)).map((change) =>
    longText(change, on)
  );
  const caption = "Each field, as it is and as it would be";
  return (
    <>
      {rows.length > 0 && <Table caption={caption} columns={["Field", "Now", "Then"]} rows={rows} empty="" />}
      {texts}
    </>
  );
}

/** A place whose text is replaced. */
interface Hit {
  readonly hit: string;
  readonly times?: number;
  readonly found?: readonly string[];
}

function hitWords({ hit, times, found }: Hit): string {
  const said = [
    ...times === undefined ? [] : [`${times} times`],
    ...found === undefined ? [] : [`written ${found.map((one) => `"${one}"`).join(", ")}`],
  ];
  return seen(said.length === 0 ? hit : `${hit} (${said.join(", ")})`);
}

/** An item of a set, as far as a page needs it. */
interface Item {
  readonly item?: unknown;
  readonly site_id?: unknown;
  readonly summary?: unknown;
  readonly plan?: unknown;
  readonly hits?: readonly Hit[];
  readonly left_out?: string;
  readonly warnings?: readonly string[];
}

/** Which items of a set are chosen: those that are not are named; the form that sends the choice. */
export interface Choosing {
  readonly form: string;
  readonly without: ReadonlySet<number>;
}

/** The box of an item that is carried out unless it is taken out of it. */
const box = (item: string, { form, without }: Choosing): Child => (
  <div class="choice">
    <input
      type="checkbox"
      id={`keep-${item}`}
      name="keep"
      value={item}
      form={form}
      checked={!without.has(Number(item))}
    />
    <label for={`keep-${item}`}>{`Carry out item ${item}`}</label>
  </div>
);

/** Changes of a set by their item, whose number stands before each field. */
function changesByItem(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const split = changes.map(({ field, ...rest }) => {
    const [, item = ""] = field.slice(0, field.indexOf(":")).split(" ");
    return { item, change: { ...rest, field: field.slice(field.indexOf(":") + 2) } };
  });
  return new Map(
    [...Map.groupBy(split, ({ item }) => item)].map(([item, all]) => [item, all.map(({ change }) => change)]),
  );
}

function itemOf(
  { item, site_id, summary, plan, hits, left_out, warnings = [] }: Item,
  changes: readonly Change[],
  on: Drawing,
  choosing: Choosing | null,
): Child {
  const where = typeof site_id === "string" ? ` on ${site_id}` : "";
  const number = String(item ?? "");
  return (
    <section class="item">
      <h3 dir="auto">{`${number}${where}: ${seen(String(summary ?? ""))}`}</h3>
      {choosing && box(number, choosing)}
      {typeof plan === "string" && <p class="hint">{`${seen(plan)}.`}</p>}
      {hits && <p class="hint" dir="auto">{`Of ${hits.map(hitWords).join(", ")}.`}</p>}
      {warnings.map((one) => <p class="error" dir="auto">{seen(one)}</p>)}
      {fieldsOf(changes, on)}
      {left_out && <p class="error">{`Too large to be shown here: ${seen(left_out)}.`}</p>}
    </section>
  );
}

/** All changes of a preview, with the calls that it stands for; of a set each item by itself, which can be chosen. */
export function changesOf(
  { changes, left_out, calls = [], items }: Pick<ApprovalPreview, "changes" | "left_out" | "calls" | "items">,
  on: Drawing,
  choosing: Choosing | null = null,
): Child {
  if (items !== undefined) {
    const byItem = changesByItem(changes);
    return items.map((one) => itemOf(one, byItem.get(String(one["item"])) ?? [], on, choosing));
  }
  return (
    <>
      {calls.length > 1 && (
        <>
          <p>In this order:</p>
          <ol>{calls.map(({ summary, tool }) => <li dir="auto">{seen(summary || tool)}</li>)}</ol>
        </>
      )}
      {fieldsOf(changes, on)}
      {changes.length === 0 && <p>The plan names no field that changes.</p>}
      {left_out && <p class="error">{`Too large to be shown here: ${seen(left_out)}.`}</p>}
    </>
  );
}

/** Bytes of what was sent that stand on a page which does not show all. */
const SENT_BYTES = 8 * 1024;
/** No credential that is known by its look needs more to be known. */
const SECRET_CHARACTERS = 4096;

/** What the agent sent, folded away; with the texts of a person where somebody has edited them. */
export function argumentsOf(
  { tool, editors }: Pick<ApprovalReport, "tool" | "editors">,
  args: Readonly<Record<string, unknown>>,
  { whole, ...rest }: Drawing,
): Child {
  const on: Drawing = { ...rest, whole, cut: 0, room: whole ? Infinity : SENT_BYTES };
  const entries = Object.entries(args).map(([name, value]) => {
    const text = valueText(value) ?? "nothing";
    // Credentials are looked for in what can stand here, and some way behind it.
    const near = whole ? text : text.slice(0, SENT_BYTES + SECRET_CHARACTERS);
    on.cut += text.length - near.length;
    return (
      <>
        <dt>{seen(name)}</dt>
        <dd>{wholeText(redactText(near), on)}</dd>
      </>
    );
  });
  return (
    <details>
      <summary>
        {editors === undefined
          ? "What the agent sent, word for word"
          : "What the agent sent, with the edited texts, word for word"}
      </summary>
      <p>{`The tool ${tool}, with:`}</p>
      <dl>{entries}</dl>
      {on.cut > 0 && (
        <p>
          {`${on.cut.toLocaleString("en")} more ${
            formOf(on.cut, "character stands", "characters stand")
          } where all of it is shown.`}
        </p>
      )}
    </details>
  );
}
