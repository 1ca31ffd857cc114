/** Step 8: what would publish, then the schema, then the manifest's rules; what every tool takes is set apart. */
import assert from "node:assert/strict";
import { type Asks, forwardedTo, readInput } from "../../../guard/pipeline/input.ts";
import { checker } from "../../../registry/dialect.ts";
import { manifest, refusal } from "./_callers.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

const INPUT = {
  required: ["title"],
  properties: {
    title: { type: "string", description: "t" },
    loud: { type: "boolean", default: false, description: "l" },
    volume: { type: "integer", minimum: 1, maximum: 11, description: "v" },
    status: { type: "string", description: "s" },
    scheduled_at: { type: "string", description: "when" },
    extra: { type: "object", additionalProperties: true, description: "e" },
    file: { type: "string", description: "f" },
    url: { type: "string", description: "u" },
  },
};

function entry(fields: Record<string, unknown> = {}) {
  const read = manifest({ tier: "T1", input: INPUT, ...fields });
  return { manifest: read, check: checker(read.input) };
}

const input = (args: Record<string, unknown>, fields?: Record<string, unknown>) =>
  readInput(entry(fields), args, NOW);

Deno.test("site_id and confirm are taken on every tool and set apart, defaults are filled in", () => {
  assert.deepEqual(input({ title: "a", site_id: "acme", confirm: true }), {
    args: { title: "a", loud: false },
    siteId: "acme",
    confirm: true,
    confirmToken: undefined,
    dryRun: false,
  });
  assert.deepEqual(input({ title: "a" }), {
    args: { title: "a", loud: false },
    siteId: undefined,
    confirm: false,
    confirmToken: undefined,
    dryRun: false,
  });
  assert.equal(input({ title: "a", confirm: false }, { tier: "T0" }).confirm, false);
});

Deno.test("site_id and confirm of a wrong type are told by name; nothing that looks true confirms", async () => {
  for (const site_id of [null, 1, true, [], {}]) {
    assert.match(
      (await refusal(() => input({ title: "a", site_id }), "E_BAD_INPUT")).message,
      /^site_id: expected/,
    );
  }
  for (const confirm of [null, 1, "true", "yes", [], {}]) {
    assert.match(
      (await refusal(() => input({ title: "a", confirm }), "E_BAD_INPUT")).message,
      /^confirm: expected true or false(, not the text "(true|yes)"|, not null)?$/,
    );
  }
});

Deno.test("a preview is asked for, or confirmed, beside the arguments as well, and never both ways at once", async () => {
  const asked = (args: Record<string, unknown>, asks: Asks) =>
    readInput(entry(), { title: "a", ...args }, NOW, asks);
  const { confirm, confirmToken, dryRun } = asked({}, {
    dry_run: true,
    confirm: true,
    confirm_token: "cft_a",
  });
  assert.deepEqual([confirm, confirmToken, dryRun], [true, "cft_a", true]);
  assert.equal(asked({ confirm: true }, { confirm: true }).confirm, true);
  const rows: [Record<string, unknown>, Asks, RegExp][] = [
    [{ confirm: true }, { confirm: false }, /^confirm: is given twice/],
    [{ confirm_token: "cft_a" }, { confirm_token: "cft_b" }, /^confirm_token: is given twice/],
    [{}, { dry_run: "yes" }, /^dry_run: expected true or false, not the text "yes"$/],
    [{}, { confirm: "yes" }, /^confirm: expected true or false, not the text "yes"$/],
  ];
  for (const [args, asks, says] of rows) {
    assert.match((await refusal(() => asked(args, asks), "E_BAD_INPUT")).message, says);
  }
});

Deno.test("a tool of the gateway's own that is asked for a dry run says how to get a preview", async () => {
  for (const name of ["dry_run", "dryRun", "preview"]) {
    assert.equal(
      (await refusal(() => input({ title: "a", [name]: true }), "E_BAD_INPUT")).message,
      `${name}: unknown argument; leave it out: without confirm: true the answer is a preview`,
    );
  }
});

Deno.test("a publishing word at any depth is refused before the schema looks, in a tool that writes", async () => {
  const loud: readonly Record<string, unknown>[] = [
    { status: "publish" },
    { Status: "PUBLISHED", titel: 1 },
    { post_status: "private" },
    { extra: { a: [{ draft_status: "publish" }] } },
    { extra: { meta: '{"status":"publish"}' } },
    { publish: true },
  ];
  for (const args of loud) {
    const { message } = await refusal(() => input(args), "E_FORBIDDEN_OP");
    assert.match(message, /would publish, which "toy" never does; leave it out/);
  }
  assert.equal(
    input({ title: "a", status: "publish" }, { tier: "T0" }).args.status,
    "publish",
    "a read may ask for it",
  );
  assert.equal(input({ title: "publish", status: "draft" }).args.title, "publish");
});

Deno.test("a date too near is refused before the schema looks", async () => {
  await refusal(() => input({ scheduled_at: "2026-11-21T12:00:59Z", titel: 1 }), "E_FORBIDDEN_OP");
  await refusal(() => input({ title: "a", scheduled_at: "tomorrow" }), "E_BAD_INPUT");
  assert.ok(input({ title: "a", scheduled_at: "2026-11-21T12:01:00Z" }));
});

Deno.test("rules: what one argument requires of another, one of several, at least one of several", async () => {
  const rules = [
    { when: { loud: true }, require: ["volume", "status"] },
    { one_of: ["file", "url"] },
    { any_of: ["volume", "status", "extra"] },
  ];
  const says = async (args: Record<string, unknown>) =>
    (await refusal(() => input({ title: "a", ...args }, { rules }), "E_BAD_INPUT")).message;
  assert.equal(
    await says({ loud: true, status: "draft", file: "f" }),
    "volume is required when loud is true",
  );
  assert.equal(await says({ loud: true, file: "f" }), "volume, status is required when loud is true");
  assert.equal(await says({ volume: 1 }), "file, url: give one of them");
  assert.equal(await says({ volume: 1, file: "f", url: "u" }), "file, url: give only one of them");
  assert.equal(await says({ file: "f" }), "volume, status, extra: give at least one of them");
  assert.ok(input({ title: "a", volume: 1, status: "draft", url: "u" }, { rules }));
});

Deno.test("what becomes text of a file holds any word, and the arguments beside it do not", async () => {
  const fields = { file_text: ["status", "file"], links: ["repo"] };
  const args = { title: "a", status: "published", file: '{"status":"publish"}' };
  assert.deepEqual(input(args, fields).args, { ...args, loud: false });
  for (const beside of [{ Status: "publish" }, { extra: { status: "publish" } }, { publish: true }]) {
    await refusal(() => input({ ...args, ...beside }, fields), "E_FORBIDDEN_OP");
  }
});

/** A write of a site's own tool, whose site shows what it would do. */
const forwardedWrite = (args: Record<string, unknown>, asks: Asks = {}, previews = true) => {
  const offer = {
    sites: ["acme"],
    writesAt: ["acme"],
    has: (name: string) => name === "preview",
    previews: () => previews,
    first: () => false,
  };
  const given = { args, siteId: "acme", confirm: false, confirmToken: undefined, dryRun: false };
  return forwardedTo({ manifest: manifest({ tier: "T0" }), offer }, given, "acme", { asks });
};

Deno.test("a preview of a site's own tool that is asked for in another spelling is refused, and never a write", async () => {
  for (const name of ["dryRun", "DRY-RUN", "simulate", "Confirm", "confirmed", "confirmToken"]) {
    const { message } = await refusal(() => forwardedWrite({ title: "a", [name]: true }), "E_BAD_INPUT");
    assert.match(message, new RegExp(`^${name}: unknown argument, did you mean .*nothing was sent$`));
  }
  const own = forwardedWrite({ title: "a", preview: true });
  assert.deepEqual([own.args, own.dryRun], [{ title: "a", preview: true }, false], "the tool's own argument");
});

Deno.test("confirm: false asks for a preview of a site's own tool, as an argument and beside the arguments", async () => {
  assert.equal(forwardedWrite({ title: "a" }).dryRun, false);
  assert.equal(forwardedWrite({ title: "a" }, { confirm: true }).dryRun, false);
  for (
    const [args, asks] of [[{ confirm: false }, {}], [{}, { confirm: false }], [{}, {
      dry_run: true,
    }]] as const
  ) {
    assert.equal(forwardedWrite(args, asks).dryRun, true);
    await refusal(() => forwardedWrite(args, asks, false), "E_NOT_SUPPORTED");
  }
});
