/** No regular expression of the product tries the same part of a text again and again: each was judged, and stands in a table. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { syntaxOf } from "../packages/babel.ts";
import { golden } from "./golden.ts";

const ROOT = new URL("../../", import.meta.url);
/** What is no part of the service. */
const BESIDE = new Set(["tests", "sandbox", "bench", "companion", "docs", "data", "manifests"]);

/** A pattern that was not judged by the machine alone. */
interface Reasoned {
  readonly pattern: string;
  readonly in: string;
  readonly because: string;
}

interface Patterns {
  readonly bounded: readonly Reasoned[];
  readonly made: readonly Reasoned[];
  readonly linear: readonly string[];
}

/** A pattern of the source: as it is written, with its source and flags, or what makes it. */
interface Found {
  readonly path: string;
  readonly text: string;
  readonly literal: readonly [source: string, flags: string] | null;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

async function* filesIn(folder: string, ending: RegExp): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory && (folder !== "" || !BESIDE.has(name)) && !name.startsWith(".")) {
      yield* filesIn(`${folder}${name}/`, ending);
    } else if (ending.test(name)) yield `${folder}${name}`;
  }
}

/** The patterns in a tree of syntax, those that are made by what makes them, blanks joined. */
function* patternsIn(node: unknown, path: string, source: string): Generator<Found> {
  if (!isFields(node)) return;
  if (node.type === "RegExpLiteral") {
    const [pattern, flags] = [String(node.pattern), String(node.flags)];
    yield { path, text: `/${pattern}/${flags}`, literal: [pattern, flags] };
  } else if (isFields(node.callee) && node.callee.name === "RegExp") {
    const text = source.slice(Number(node.start), Number(node.end)).replace(/\s+/g, " ");
    yield { path, text, literal: null };
  }
  for (const part of Object.values(node)) yield* patternsIn(part, path, source);
}

/** Those that texts have to match by a manifest. */
function* wanted(value: unknown, path: string): Generator<Found> {
  if (!isFields(value)) return;
  if (typeof value.pattern === "string") {
    const { source, flags } = new RegExp(value.pattern, "u");
    yield { path, text: `/${source}/${flags}`, literal: [source, flags] };
  }
  for (const part of Object.values(value)) yield* wanted(part, path);
}

async function patterns(): Promise<Found[]> {
  const found: Found[] = [];
  for await (const path of filesIn("", /\.tsx?$/)) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    if (/RegExp|\/[^/\n]+\//.test(text)) found.push(...patternsIn(syntaxOf(text, path), path, text));
  }
  for await (const path of filesIn("manifests/", /\.yaml$/)) {
    if (path.startsWith("manifests/proxies/")) continue; // whose patterns are of names, with stars
    found.push(...wanted(load(await Deno.readTextFile(new URL(path, ROOT))), path));
  }
  return found;
}

const FOUND = await patterns();
const { bounded, made, linear } = await golden<Patterns>("patterns");
const LINEAR = new Set(linear);
const reasoned = (all: readonly Reasoned[], { path, text }: Found) =>
  all.some((one) => one.pattern === text && one.in.split(", ").includes(path));

Deno.test("every regular expression was judged to take time by the length of its text, or has a bound", async () => {
  const faults: string[] = [];
  const unlisted = FOUND.filter((one) =>
    one.literal === null ? !reasoned(made, one) : !LINEAR.has(one.text) && !reasoned(bounded, one)
  );
  for (const { path, text, literal } of new Map(unlisted.map((one) => [one.text, one])).values()) {
    const verdict = literal === null
      ? "made"
      : await (await import("../packages/recheck.ts")).judged(...literal);
    faults.push(`${path}: ${text} is ${verdict}: ${verdict === "linear" ? LISTED : OTHERWISE}`);
  }
  assert.deepEqual(faults, []);
});

const LISTED = "add it to `linear` of tests/golden/patterns.yaml";
const OTHERWISE =
  "mend it, or add it with `in` and `because`, the limit of its text, to tests/golden/patterns.yaml";

Deno.test("a pattern that was judged stands in the source", () => {
  const here = new Set(FOUND.map(({ path, text }) => `${path} ${text}`));
  const texts = new Set(FOUND.map(({ text }) => text));
  const gone = [...bounded, ...made].flatMap((one) =>
    one.in.split(", ").filter((path) => !here.has(`${path} ${one.pattern}`)).map((path) =>
      `${path} ${one.pattern}`
    )
  );
  assert.deepEqual([...gone, ...linear.filter((text) => !texts.has(text))], []);
});
