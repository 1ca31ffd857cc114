/** Every write is what was approved: of each tool the table, a person at work meanwhile, tokens that are not its own. */
import assert from "node:assert/strict";
import type { SiteInput } from "../../store/store.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { readRegistry } from "../../gateway/wire.ts";
import { type Ground, ground } from "./_ground.ts";
import { type Edit, nameOf, NOT_HERE, type Write, WRITES } from "./_writes.ts";

const siteOf = ({ site }: Write): string => site ?? "cms";
const repositories = ({ tool, site }: Write) => site === "static" || /(^|_)md(_|$)/.test(tool);
const called = (write: Write, at: Ground, n: number): Args => ({
  site_id: siteOf(write),
  ...write.args(at, n),
});

/**
 * What is spent is spent alike whatever the tool, and a token is looked up before the tool is: fifty calls at once and
 * every way to misspell a token for a tool of each kind, fewer for the others.
 */
const MANY: ReadonlySet<string> = new Set([
  "create_draft",
  "publish_post",
  "write_static_file",
]);

/** The confirmed call of what was just shown. */
async function approved(at: Ground, { tool }: Write, args: Args, as?: string): Promise<Args> {
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>(tool, args, { as });
  return { ...args, confirm: true, confirm_token };
}

/** Fails where the call was not refused for that part, or anything upstream is another afterwards. */
async function refuses(
  at: Ground,
  write: Write,
  { door, call, part, code }: { door: "rest" | "mcp"; call: Args; part: string; code: string },
) {
  const standing = await at.everything();
  const writes = at.writes();
  const ending = await at.gw.end(write.tool, call, { door });
  assert.ok("code" in ending, `${part} through ${door}: ${JSON.stringify(ending)}`);
  assert.equal(ending.code, code, `${part}: ${ending.message}`);
  assert.ok(ending.message.includes(part), `${part}: ${ending.message}`);
  if (door === "rest" && code === "E_STALE_PREVIEW") assert.equal(ending.status, 409);
  assert.equal(at.writes(), writes, `${part}: nothing that changes anything was sent`);
  assert.equal(await at.everything(), standing, `${part}: everything stands as it did`);
  const { rows: [row] } = await at.gw.store.audit.list({}, { limit: 1 });
  assert.deepEqual([row?.tool, row?.status, row?.error, row?.outcome], [write.tool, "error", code, "none"]);
}

const partOf = ({ part }: Edit, n: number) => typeof part === "string" ? part : part(n);

/** One write on a ground that its proofs share; each call is about another thing. */
interface Proof {
  readonly at: Ground;
  readonly write: Write;
  /** The number of the next call. */
  next(): number;
}

async function editsAreRefused({ at, write, next }: Proof): Promise<void> {
  const edits = write.edits.filter(({ plugin }) => at.guarded || !plugin);
  for (const [at_n, edit] of edits.entries()) {
    for (const door of at_n === 0 ? DOORS : [DOORS[at_n % 2]!]) { // of all edits half come through each
      const n = next();
      const args = called(write, at, n);
      const call = await approved(at, write, args);
      await edit.act(at, args, n);
      const { code = "E_STALE_PREVIEW" } = edit;
      await refuses(at, write, { door, call, part: partOf(edit, n), code });
    }
  }
  const n = next();
  const args = called(write, at, n);
  const call = await approved(at, write, args);
  await write.beside(at, args, n);
  const done = await at.gw.call<Args>(write.tool, call, { door: DOORS[n % 2] });
  assert.equal(done["needs_confirmation"], undefined, "what changes beside it refuses nobody");
}

async function lateEditsAreRefused({ at, write, next }: Proof): Promise<void> {
  for (const edit of write.edits) {
    const n = next();
    const args = called(write, at, n);
    const call = await approved(at, write, args);
    let theirs = "";
    at.beforeWrite(async () => {
      await edit.act(at, args, n);
      theirs = await at.everything();
    });
    const ending = await at.gw.end(write.tool, call, { door: DOORS[n % 2] });
    assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", JSON.stringify([edit, ending]));
    assert.ok(ending.message.includes(edit.late ?? partOf(edit, n)), ending.message);
    assert.match(ending.message, /nothing was written/);
    assert.equal(await at.everything(), theirs, `${ending.message}: what the person left stands`);
  }
}

async function strangersAreRefused({ at, write, next }: Proof): Promise<void> {
  const args = called(write, at, next());
  const call = await approved(at, write, args);
  const token = String(call["confirm_token"]);
  const swapped = write.tool === "create_taxonomy" ? "create_draft" : "create_taxonomy";
  const others = await approved(
    at,
    { ...write, tool: swapped },
    swapped === "create_draft"
      ? { site_id: "cms", title: "T", content_html: "x" }
      : { site_id: "cms", taxonomy: "tag", name: "T" },
  );
  const foreign = await approved(at, write, args, "other");
  const sent = at.gw.requests.length;
  const last = token.at(-1) === "A" ? "B" : "A";
  const unknown = /unknown, or its 15 minutes are over/;
  const spelt = [token.slice(0, -1), `${token}A`, ` ${token}`, "", `cft_${"A".repeat(1024 * 1024)}`];
  const tokens: readonly (readonly [string, RegExp])[] = [
    [`${token.slice(0, -1)}${last}`, unknown],
    ...(MANY.has(nameOf(write)) ? spelt : []).map((one) => [one, unknown] as const),
    [String(others["confirm_token"]), new RegExp(`of a preview of "${swapped}"`)],
    [String(foreign["confirm_token"]), /belongs to another token/],
  ];
  let count = 0;
  const refused = (given: Args) =>
    at.gw.refuses(write.tool, given, "E_CONFIRM_INVALID", { door: DOORS[count++ % 2] });
  const says = async (confirm_token: string, wanted: RegExp) => {
    const told = await refused({ ...call, confirm_token });
    assert.match(told, wanted);
    assert.match(told, /preview again and confirm with the new one$/);
  };
  for (const [one, wanted] of tokens) await says(one, wanted);
  for (const [id, change] of destinations(at, write)) {
    const before = await at.gw.store.sites.get(id);
    await at.gw.store.sites.update(id, change);
    const told = await refused(call);
    assert.match(told, new RegExp(`the settings of site "${id}" have changed`), JSON.stringify(change));
    const back = Object.keys(change).map((field) => [field, before![field as keyof typeof before]]);
    await at.gw.store.sites.update(id, Object.fromEntries(back));
  }
  at.gw.clock.now += 15 * 60_000;
  await says(token, /its 15 minutes are over/);
  assert.equal(at.gw.requests.length, sent, "nothing was sent");
  at.gw.clock.now -= 60_000;
  assert.equal("code" in await at.gw.end(write.tool, call), false, "within its time it is what was shown");
}

async function equalCallsWriteOnce({ at, write, next }: Proof): Promise<void> {
  const first = await approved(at, write, called(write, at, next()));
  const second = { ...called(write, at, next()), confirm: true };
  const most = MANY.has(nameOf(write)) ? 50 : 6;
  for (
    const [call, key, many] of [[first, undefined, most], [second, "k-1", 6]] as const
  ) {
    const before = at.writes();
    const endings = await Promise.all(
      Array.from({ length: many }, (_, n) => at.gw.end(write.tool, call, { door: DOORS[n % 2], key })),
    );
    const values = endings.map((one) => {
      assert.ok("value" in one, JSON.stringify(one));
      return one.value as Args;
    });
    const told = values.map(({ replayed: _, ...rest }) => JSON.stringify(rest));
    assert.equal(new Set(told).size, 1, "all are told the same");
    assert.equal(values.filter(({ replayed }) => replayed !== true).length, 1, "one was carried out");
    assert.equal(at.writes() - before, write.writes ?? 1);
    const { rows } = await at.gw.store.audit.list({ tool: write.tool }, { limit: many });
    const own = rows.filter(({ repeats }) => repeats === undefined);
    assert.deepEqual(own.map(({ status }) => status), ["ok"]);
    for (const { repeats } of rows.filter((row) => row !== own[0])) {
      assert.equal(repeats, own[0]?.request_id);
    }
  }
}

async function opened(write: Write, guarded = true): Promise<Proof> {
  let n = 0;
  return { at: await ground({ guarded, repositories: repositories(write) }), write, next: () => ++n };
}

for (const write of WRITES) {
  Deno.test(nameOf(write), async (t) => {
    const proof = await opened(write);
    await using _ = proof.at;
    const step = async (name: string, fn: (proof: Proof) => Promise<void>) => {
      await t.step(name, () => fn(proof));
    };
    await step("what a person changes after the preview is refused by its name", editsAreRefused);
    if (write.compares) {
      await step("what a person changes right before the write is kept", lateEditsAreRefused);
    }
    await step("a token that is not of this very call sends nothing", strangersAreRefused);
    await step(
      "equal calls at once through both doors write once, under a token and a key",
      equalCallsWriteOnce,
    );
  });
  if (!write.compares || repositories(write)) continue;
  Deno.test(`${nameOf(write)}: what a person changes is refused without the plugin's guarded routes`, async () => {
    const proof = await opened(write, false);
    await using _ = proof.at;
    await editsAreRefused(proof);
  });
}

/** What decides where a call goes, changed: of its site, and of one that an argument names. */
function destinations(at: Ground, write: Write): (readonly [site: string, SiteInput])[] {
  const id = siteOf(write);
  const on = (...changes: SiteInput[]) => changes.map((change) => [id, change] as const);
  if (id === "static") return on({ repo: "acme/texts" }, { repo_branch: "next" }, { repo_prefix: "sub" });
  const address = { base_url: `${at.cms.base_url}/blog` };
  const all = on(address, { default_builder: "visual" }, { repo_branch: "next" });
  if (write.tool === "deploy_md_to_site") return [...all, ["twin", address]];
  return /seo|sitemap|schema/.test(write.tool)
    ? all
    : [...all, ...on({ seo: { enabled: true, channel: "rest" } })];
}

Deno.test("every tool that writes is in the table, or it is said why not", async () => {
  const { tools } = await readRegistry();
  const writing = [...tools.values()]
    .filter(({ manifest }) => manifest.tier > 0 || manifest.raise.some(({ tier }) => tier > 0))
    .filter(({ manifest }) => manifest.forwards === undefined)
    .map(({ name }) => name);
  const here = new Set([...WRITES.map(({ tool }) => tool), ...Object.keys(NOT_HERE)]);
  assert.deepEqual([...here].toSorted(), writing.toSorted());
});
