/** The commands that the pages print: each is there, and has the options that it is printed with. */
import assert from "node:assert/strict";
import { commandsOf } from "../../admin/commands.ts";
import { COMMON } from "../../admin/command.ts";
import { CONNECTORS } from "../connectors.ts";

const ROOT = new URL("../../", import.meta.url);
const COMMANDS = commandsOf(CONNECTORS);
const FAMILIES = new Set<string>(COMMANDS.map(({ words }) => words[0]));

/** How a page begins a command; within a sentence, the command's own words may stand alone. */
const BEGINS =
  /^(?:.*[\s(])?(?:task (?:--quiet )?admin|(?:\/usr\/local\/bin\/)?gateway-admin|deno task admin) /;
/** What it adds are options of its reader's own; its commands are run by a test of its own. */
const READERS_OWN = "docs/NEW_UPSTREAM.md";
/** Where the words of a command end. */
const ENDS = /\s*(?:[|;>#)"&]|\$\(|<<|…).*$/;

async function pages(): Promise<[path: string, text: string][]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
    cwd: ROOT,
  }).output();
  const paths = new TextDecoder().decode(stdout).split("\0")
    .filter((path) => /^(docs\/(?!decisions\/).*|[A-Z]+)\.md$/.test(path) && path !== READERS_OWN);
  return await Promise.all(
    paths.map(async (path) => [path, await Deno.readTextFile(new URL(path, ROOT))] as [string, string]),
  );
}

/** The lines of its blocks of code, with those that go on joined, and what stands as code in its sentences. */
function* codeOf(text: string): Generator<string> {
  const blocks = /^ *```\w*\n([\s\S]*?)^ *```$/gm;
  for (const [, block] of text.matchAll(blocks)) yield* block!.replace(/\\\n\s*/g, " ").split("\n");
  for (const [, span] of text.replace(blocks, "").matchAll(/`([^`\n]+)`/g)) yield span!;
}

/** What is wrong with a line as a command; null where it is right, or none. */
function faultOf(line: string): string | null {
  const begun = BEGINS.test(line);
  const words = line.replace(BEGINS, "").replaceAll(/<[^<>]*>|"[^"]*"|'[^']*'/g, "x").replace(ENDS, "").trim()
    .split(/\s+/);
  const [family = "", verb = ""] = words;
  if (family.startsWith("-") || family === "x" || family === "") return null;
  const own = COMMANDS.filter((command) => command.words[0] === family);
  const found = own.find((command) => command.words.length === 1 || command.words[1] === verb) ??
    (own.length === 1 && (verb === "" || verb.startsWith("-")) ? own[0] : undefined);
  if (found === undefined) return begun && (!FAMILIES.has(family) || verb !== "") ? "no such command" : null;
  const options = { ...COMMON, ...found.options };
  const wrong = words.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? [])
    .filter((option) => !Object.hasOwn(options, option));
  return wrong.length === 0 ? null : `${found.words.join(" ")} has no --${wrong.join(", --")}`;
}

Deno.test("every command that a page prints is there, with the options that it is printed with", async () => {
  const printed = (await pages()).flatMap(([path, text]) => [...codeOf(text)].map((line) => [path, line]));
  assert.ok(printed.filter(([, line]) => BEGINS.test(line!)).length > 100);
  const faults = printed.flatMap(([path, line]) => {
    const fault = faultOf(line!);
    return fault === null ? [] : [`${path}: ${line}: ${fault}`];
  });
  assert.deepEqual(faults, []);
});

Deno.test("a command that is not there, and an option that a command does not have, are found", () => {
  assert.equal(faultOf("gateway-admin token ends x"), "no such command");
  assert.equal(faultOf("npx -y deno@2.9 task admin sites list"), "no such command");
  assert.equal(faultOf("token revoke <token_id> --now"), "token revoke has no --now");
  assert.equal(faultOf("task admin audit anchor >> anchors.ndjson"), null);
  assert.equal(faultOf("gateway-admin snapshots"), null);
});
