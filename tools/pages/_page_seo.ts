/** SEO fields and structured data of a page that a call makes: foreseen before there is one, set by their own tools after it. */
import { GatewayError } from "../../core/errors.ts";
import { numericId } from "../../core/ids.ts";
import type { Compared } from "../../platforms/_content/compared.ts";
import { seo as seoOf } from "../../platforms/wordpress/connector.ts";
import type { SeoChange } from "../../platforms/wordpress/seo/names.ts";
import type { PlannedCall, ToolContext, WriteResult } from "../../registry/tool.ts";
import { type PageSchema, pageSchema } from "../../rules/seo_schema.ts";

const META = "set_seo_meta";
const SCHEMA = "set_seo_schema";
/** So many entries of structured data come with one page. */
const ENTRIES_MAX = 5;
/** Arguments of those tools that are the page's own here. */
const OWN = ["site_id", "post_id", "confirm", "confirm_token", "dry_run"];

type Given = { readonly seo?: Readonly<Record<string, unknown>>; readonly structured_data?: unknown };
/** What of a tool's arguments is about them. */
export const given = (
  { seo, structured_data }: { readonly [Name in keyof Given]?: Given[Name] | undefined },
): Given => ({
  ...seo === undefined ? {} : { seo },
  ...structured_data === undefined ? {} : { structured_data },
});

type Using = Pick<ToolContext, "calls" | "site" | "use">;

/** A part that is set once the page is there. */
interface Part {
  readonly name: "seo" | "structured_data";
  /** As a person reads it: of several entries with its number. */
  readonly word: string;
  readonly call: PlannedCall;
}

/** Throws E_BAD_INPUT and E_PAYLOAD_TOO_LARGE for what no page could be given, naming the argument. */
export function checkSeo({ seo, structured_data }: Given): void {
  const own = OWN.find((name) => seo !== undefined && Object.hasOwn(seo, name));
  if (own !== undefined) {
    throw new GatewayError("E_BAD_INPUT", `seo: ${own} is no SEO field; give the fields of ${META} only`);
  }
  entriesOf(structured_data);
}

/** Each entry of structured data: a list has several. */
function entriesOf(given: unknown): readonly PageSchema[] {
  if (given === undefined) return [];
  const data = named("structured_data", () => pageSchema(given));
  const entries: readonly PageSchema[] = Array.isArray(data) ? data : [data];
  if (entries.length <= ENTRIES_MAX) return entries;
  throw new GatewayError(
    "E_BAD_INPUT",
    `structured_data: ${entries.length} entries are more than the ${ENTRIES_MAX} that come with one page; add the others ` +
      `with ${SCHEMA}`,
  );
}

/**
 * The calls that set them, judged as their tools judge up to the plan, and then whether the site keeps such values at all.
 * Throws what those refuse with, the argument named; nothing is made by then.
 */
export async function foreseeSeo({ seo, structured_data }: Given, ctx: Using): Promise<readonly Part[]> {
  const { calls, site: { id: site_id } } = ctx;
  const parts: Part[] = [];
  const foresee = async (name: Part["name"], word: string, tool: string, args: Record<string, unknown>) => {
    const call = await named(word, () => calls.foresee(tool, { ...args, site_id }, "post_id"));
    parts.push({ name, word, call });
  };
  if (seo !== undefined) await foresee("seo", "seo", META, seo);
  const entries = entriesOf(structured_data);
  for (const [at, schema] of entries.entries()) {
    const word = entries.length === 1 ? "structured_data" : `structured_data ${at + 1}`;
    await foresee("structured_data", word, SCHEMA, { schema });
  }
  if (parts.length === 0) return parts;
  const client = await ctx.use(seoOf);
  const change = seo === undefined ? null : seo as SeoChange;
  await named(seo === undefined ? "structured_data" : "seo", () => client.requireKept(change, entries));
  return parts;
}

/** What became of a part, as it is answered. */
interface Done {
  readonly done: boolean;
  readonly verified: boolean | null;
  readonly [more: string]: unknown;
}

/** What is answered of the parts beside the page, and what was proven of them. */
export interface SeoSet extends Compared {
  readonly seo?: Done;
  readonly structured_data?: readonly Done[];
  /** The calls that are left to be made. */
  readonly left?: readonly string[];
}

/** Sets them on the page that was made. What fails is part of the answer: the page is there, and the rest is left to do. */
export async function setSeo(
  parts: readonly Part[],
  given: Given,
  page_id: string | number,
  ctx: Using,
): Promise<SeoSet> {
  const id = numericId(page_id, "page_id");
  const found: { part: Part; done: Done; said: readonly string[]; reason?: string }[] = [];
  for (const part of parts) found.push({ part, ...await setPart(part, given, id, ctx) });
  const of = (name: Part["name"]) => found.filter(({ part }) => part.name === name).map(({ done }) => done);
  const [seo] = of("seo");
  const entries = of("structured_data");
  const left = found.filter(({ done }) => !done.done).map(({ part }) =>
    `${part.call.tool} with post_id ${id}, for ${part.word}`
  );
  const open = found.find(({ done, reason }) => done.verified === null && reason !== undefined);
  const saying = (isOther: boolean) =>
    found.filter(({ done }) => (done.verified === false) === isOther).flatMap(({ part, said }) =>
      said.map((one) => `${part.word}: ${one}`)
    );
  return {
    ...seo === undefined ? {} : { seo },
    ...entries.length === 0 ? {} : { structured_data: entries },
    ...left.length === 0 ? {} : { left },
    differences: saying(true),
    warnings: saying(false),
    ...open === undefined ? {} : { uncompared: `${open.part.word}: ${open.reason}` },
  };
}

async function setPart({ name, call }: Part, { seo = {} }: Given, id: number, { calls }: Using) {
  try {
    const answer = await calls.run(call, id);
    const { verified, warnings, verified_reason, ...told } = (answer as WriteResult).toJSON();
    const wanted = name === "seo" ? Object.keys(seo) : ["entry_id", "type"];
    const kept = Object.fromEntries(wanted.filter((key) => key in told).map((key) => [key, told[key]]));
    const done = {
      done: true,
      verified: verified as boolean | null,
      ...name === "seo" ? { fields: kept } : kept,
    };
    const reason = typeof verified_reason === "string" ? { reason: verified_reason } : {};
    return { done, said: warnings as string[], ...reason };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    const { code, message } = thrown;
    const said =
      `not set (${code}: ${message}). The page ${id} was made: do not make it again, call ${call.tool} with ` +
      `post_id ${id}`;
    return { done: { done: false, verified: false, error: { code, message } }, said: [said] };
  }
}

/** Does work whose refusals name the argument that they are about. */
function named<Result>(argument: string, work: () => Result): Result {
  const told = (thrown: unknown): never => {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    throw thrown.saying(`${argument}: ${thrown.message}`);
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(told) as Result : result;
  } catch (thrown) {
    return told(thrown);
  }
}
