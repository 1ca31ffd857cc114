/** docs/TOOLS.md: every tool as its manifest says it, with an example that was run. */
import { GATEWAY_CODES } from "../core/errors.ts";
import type { Schema } from "./dialect.ts";
import { parseYaml } from "./documents.ts";
import { find } from "./files.ts";
import { definition, type Known, type Manifest, PARTS, readManifest, writes } from "./manifest.ts";

/** A call that was made, its preview where the tool writes, and its answer; long lists and texts are cut. */
export interface Example {
  readonly args: Readonly<Record<string, unknown>>;
  readonly preview?: unknown;
  readonly answer: unknown;
}

/** Examples by tool. */
export type Examples = Readonly<Record<string, Example>>;

interface Row {
  readonly group: string;
  readonly manifest: Manifest;
}

const WIDTH = 100;
const flat = (text: string) => text.replaceAll(/\s+/g, " ").trim();
/** The text of a cell: no line ends, and bars that do not end it. */
const cell = (text: string) => flat(text).replaceAll("|", "\\|");
/** As a sentence, so that another may follow. */
const ended = (text: string) => text === "" || /[.!?]$/.test(text) ? text : `${text}.`;
const code = (text: string) => `\`${text}\``;
const codes = (names: readonly string[]) => names.map(code).join(", ");

/** The page. Tools without an example say so. Throws an Error where a manifest cannot be read. */
export async function toolsPage(manifests: URL, known: Known, examples: Examples): Promise<string> {
  const rows = await readRows(manifests, known);
  const groups = Object.entries(Object.groupBy(rows, ({ group }) => group));
  const index = groups.map(([group, tools = []]) =>
    `| [${group}](#${group}) | ${tools.map(({ manifest }) => linked(manifest.name)).join(", ")} |`
  );
  const sections = groups.flatMap(([group, tools = []]) => [
    `## ${group}`,
    ...tools.map(({ manifest }) => section(manifest, known.kinds, examples[manifest.name])),
  ]);
  return `${
    [HEAD, ["| Group | Tools |", "| --- | --- |", ...index].join("\n"), errorCodes(), ...sections].join(
      "\n\n",
    )
  }\n`;
}

const HEAD = `# Tools

Every built-in tool: what it does, what it takes, and one call of it with its answer. This page is written by \`deno task gen\` from the manifests and from \`docs/examples.gen.json\`; nobody edits it by hand.

**The examples were run**, each against the sites that \`deno task demo\` starts, through REST, with stand-ins in place of the products. A test runs all of them again and compares every byte. To make them the same each time, the clock begins at noon of 2026-11-21, the site answers at \`https://demo.example\`, and what is drawn at random (ids, tokens, commit names) is replaced by numbers. They show the \`result\` of the answer. Long answers are cut to what shows their shape: \`…\` ends a text that goes on, \`"… 3 more"\` replaces the rest of a list, and \`"…": "3 more"\` for the rest of an object.

**How a call is made.** \`POST /api/v1/tools/<name>\` with the arguments as JSON, or \`tools/call\` over MCP with the same arguments. Both answer the same, with three differences over MCP, where a model reads the text alone: it leaves out empty keys and repetitions (\`with_fields\` names the parts that \`fields\` adds, and \`?schemas=full\` answers all), it shows the changes of a preview by their fields, and it shortens an answer of a read that has over 20,000 characters and says how to read on.

**What comes back.** Over REST \`{"ok": true, "result": {…}}\`, or \`{"ok": false, "error": {"code": "E_…", "message": "…"}}\` with the status of [its code](#error-codes). Over MCP the result is a text of JSON; of a refusal the text begins with the code and \`isError\` is \`true\`. A call takes 60 seconds at most. Every answer has its request id, by which [the audit](OPERATING.md#who-changed-what) knows the call: \`X-Request-Id\`, over MCP \`_meta["site-operations/request-id"]\`.

**A tool that reads** takes two more arguments, which the tables leave out: \`fields\`, the parts of its answer that are wanted, as a list or with commas (\`"items.title, items.url"\`; \`"items[20..]"\` and \`"text[5000..]"\` name what stands from there on), and \`summary\`: with \`true\` the answer has the first items of each list and the beginning of each text. What was left out is in \`shortened\`. Names that are not there are in \`fields_not_found\`, with the name that was \`answered\` in their place or those to ask for \`instead\`; where the tool has none of the names, they are refused before anything is sent. A few tools have an argument of their own with one of these names; there the name means that argument.

**A tool that writes** takes two more arguments, which the tables leave out: \`confirm\` (with \`true\` the tool writes, otherwise it answers a preview) and \`confirm_token\` (from the preview; it binds the write to what the preview showed). Its example has three parts: the call, the preview it answers, and the answer to the same call with \`"confirm": true\` and that \`confirm_token\`.

**Tiers.** 0 reads. 1 writes drafts. 2 writes to other systems, or what goes live later. 3 publishes or pushes. 4 removes, for super-admin tokens only. A token's ceiling (\`max_risk\`) must be at least the tier of the call ([What a token may do](CONNECTING.md#what-a-token-may-do)).

**Sites, flags and links.** A tool works on the kinds of site that it names ([which products these are](../README.md#what-it-connects-to)). A flag is a permission that the site's operator has set. A link is an account, a repository or a service that is connected to the site ([CONNECTING](CONNECTING.md)).`;

/** Every code that a call can be refused with. */
function errorCodes(): string {
  const rows = Object.entries(GATEWAY_CODES).map(([name, { status, meaning }]) =>
    `| ${code(name)} | ${status} | ${cell(meaning)} |`
  );
  return `## Error codes

Go by the code: it stays the same, and the message says in words what was wrong and what to do next. Where trying again makes sense after a time, \`Retry-After\` has the seconds.

${["| Code | HTTP status | Meaning |", "| --- | --- | --- |", ...rows].join("\n")}`;
}

async function readRows(manifests: URL, known: Known): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { group, url } of await find(manifests, ".yaml")) {
    if (group === "proxies") continue;
    const outcome = readManifest(await parseYaml(await Deno.readTextFile(url)), known);
    if ("faults" in outcome) throw new Error(`${url.pathname}: ${outcome.faults.join("; ")}`);
    rows.push({ group, manifest: outcome.manifest });
  }
  return rows.sort((a, b) => a.group < b.group ? -1 : a.group > b.group ? 1 : 0);
}

const linked = (tool: string) => `[${tool}](#${tool})`;

function section(manifest: Manifest, kinds: readonly string[], example: Example | undefined): string {
  return [
    `### ${manifest.name}`,
    `**${manifest.title}.** ${flat(manifest.description)}`,
    facts(manifest, kinds).map((line) => `- ${line}`).join("\n"),
    table(manifest),
    ...shown(manifest, example),
  ].join("\n\n");
}

/** Tier, kinds of site, flags, links and what else decides whether a call is let through. */
function facts(manifest: Manifest, kinds: readonly string[]): string[] {
  const everywhere = kinds.every((kind) => (manifest.platforms as readonly string[]).includes(kind));
  const { tier, raise, platforms, site, flags, links, secrets, rules, errors, no_flag } = manifest;
  const raised = raise.map((one) => `, ${one.tier} where ${condition(one.when)}`).join("");
  const found = [
    `Tier: ${tier}${raised}${manifest.tier === 0 && raise.length === 0 ? " (reads)" : ""}`,
    `Sites: ${site === "none" ? "none" : everywhere ? "every kind" : codes(platforms)}`,
  ];
  for (const { flag, when, live } of flags) {
    const only = when ? ` where ${condition(when)}` : "";
    found.push(`Flag of the site: ${code(flag)}${only}${live ? ", where visitors would see it" : ""}`);
  }
  if (no_flag) found.push(`No flag: ${flat(no_flag)}`);
  if (links.length > 0) found.push(`Links: ${codes(links)}`);
  if (secrets.length > 0) found.push(`Settings: ${codes(secrets.map(({ name }) => name))}`);
  for (const rule of rules) found.push(`Arguments: ${ruleText(rule)}`);
  if (errors.length > 0) found.push(`Refuses with: ${codes(errors)}`);
  return found;
}

function ruleText(rule: Manifest["rules"][number]): string {
  if ("one_of" in rule) return `exactly one of ${codes(rule.one_of)}`;
  if ("any_of" in rule) return `at least one of ${codes(rule.any_of)}`;
  return `${codes(rule.require)} where ${condition(rule.when)}`;
}

const condition = (when: Readonly<Record<string, unknown>>) =>
  Object.entries(when).map(([name, value]) => `${code(name)} is ${code(String(value))}`).join(" and ");

function table(manifest: Manifest): string {
  const { input_schema } = definition(manifest);
  const properties = Object.entries(input_schema.properties ?? {}).filter(([name]) =>
    !["confirm", "confirm_token"].includes(name) &&
    (Object.hasOwn(manifest.input.properties ?? {}, name) || !Object.hasOwn(PARTS, name))
  );
  if (properties.length === 0) return "It takes no arguments.";
  const lines = properties.flatMap(([name, schema]) =>
    lined(name, schema, input_schema.required?.includes(name) ?? false, manifest.only[name])
  );
  return ["| Argument | Type | Required | What it is |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

/** A row for an argument, and one for each property of an object or of the objects of a list. */
function lined(name: string, schema: Schema, required: boolean, only?: readonly string[]): string[] {
  const inner = schema.type === "array" ? schema.items : schema;
  const below = schema.type === "array" ? `${name}[].` : `${name}.`;
  const preset = schema.default === undefined ? "" : `Default ${code(JSON.stringify(schema.default))}.`;
  const text = [ended(schema.description ?? ""), preset, only ? `Only on ${codes(only)}.` : ""].filter((
    part,
  ) => part);
  const own = `| ${code(name)} | ${cell(typeOf(schema))} | ${required ? "yes" : ""} | ${
    cell(text.join(" "))
  } |`;
  const parts = Object.entries(inner?.properties ?? {}).flatMap(([part, one]) =>
    lined(below + part, one, inner?.required?.includes(part) ?? false)
  );
  return [own, ...parts];
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((one) => code(JSON.stringify(one))).join(", ");
  if (schema.type === "array") {
    const size = bounds(schema.minItems, schema.maxItems);
    return `list${size && ` (${size})`} of ${schema.items ? typeOf(schema.items) : "values"}`;
  }
  if (schema.type === "string") {
    const size = bounds(schema.minLength, schema.maxLength);
    const noun = schema.maxLength === undefined && schema.minLength === 1 ? "character" : "characters";
    const limits = [size && `${size} ${noun}`, schema.pattern && `fits ${code(schema.pattern)}`];
    return noted(schema.format ?? "text", limits);
  }
  return noted(schema.type ?? "any value", [bounds(schema.minimum, schema.maximum)]);
}

function noted(name: string, limits: readonly (string | undefined)[]): string {
  const said = limits.filter((one) => one);
  return said.length > 0 ? `${name} (${said.join(", ")})` : name;
}

function bounds(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return least === undefined ? "" : `at least ${least}`;
  if (least === most) return `${most}`;
  return least === undefined ? `at most ${most}` : `${least} to ${most}`;
}

function shown(manifest: Manifest, example: Example | undefined): string[] {
  if (!example) {
    return ["There is no example of it yet; add a call to `tests/demo_calls.ts`."];
  }
  const call = `\`\`\`http\nPOST /api/v1/tools/${manifest.name}\n\n${laidOut(example.args)}\n\`\`\``;
  const json = (value: unknown) => `\`\`\`json\n${laidOut(value)}\n\`\`\``;
  if (!writes(manifest) || example.preview === undefined) return [call, json(example.answer)];
  return [
    call,
    "The preview:",
    json(example.preview),
    "The answer to the same call with `confirm` and the `confirm_token`:",
    json(example.answer),
  ];
}

/** JSON that keeps what fits on one line there. */
function laidOut(value: unknown, indent = ""): string {
  const line = inLine(value);
  if (indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((one) => laidOut(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${laidOut(one, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

function inLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(inLine).join(", ")}]`;
  const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inLine(one)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
