/** What docs/NEW_UPSTREAM.md adds to a copy of the project works everywhere, without a change by hand. */
import assert from "node:assert/strict";
import { type Printed, type Project, type Step, withoutEnvironment } from "./page.ts";
import { inFolder, MASTER, type Running, start } from "./running.ts";

/** The secret of the page's stand-in. */
const KEY = "key-of-the-stand-in";

/** What the test relies on of the page's stand-in. */
interface Letters extends AsyncDisposable {
  readonly base_url: string;
  readonly requests: readonly { method: string; path: string; headers: Record<string, string> }[];
  readonly writes: readonly { path: string; headers: Record<string, string>; body: unknown }[];
}

interface Checked {
  readonly checks: readonly { name: string; ok: boolean | null }[];
}

async function startLetters(folder: string): Promise<Letters> {
  return (await import(`file://${folder}/sandbox/newsletter/start.ts`)).startLetters();
}

/** Tries what the page added, on every side. */
export async function tryNewUpstream(
  t: Deno.TestContext,
  project: Project,
  steps: readonly Step[],
): Promise<void> {
  await using letters = await startLetters(project.folder);
  await inFolder(async (folder) => {
    const env = { NEWSLETTER_API_BASE: letters.base_url };
    await using gateway = start(folder, env, { cwd: project.folder });
    await t.step("the admin API knows the kind, the field and the credential", () => byAdminApi(gateway));
    await t.step("so does the command line", () => byCommandLine(project, gateway, steps));
    await t.step(
      "both doors ping, diagnose, read and write, with the setting and the credential",
      async () => {
        await throughDoors(gateway, letters);
      },
    );
    gateway.kill("SIGTERM");
    assert.equal((await gateway.ended).code, 0);
  });
  await t.step(
    "without the permission for its setting the gateway does not start",
    () => refusedAtBoot(project),
  );
  await t.step("without its code in the generated table it does not start either", () => staleCodes(project));
}

/** Only new files and generated ones; of deno.json the environment names of its permission sets. */
export async function unchangedByHand(
  project: Project,
  before: Readonly<Record<string, string>>,
): Promise<void> {
  const changes = Object.entries(await project.changes());
  const changed = changes.filter(([, state]) => state !== "??").map(([path]) => path).sort();
  assert.deepEqual(changed, [
    ".env.example",
    "core/errors.gen.ts",
    "core/model.gen.ts",
    "deno.json",
    "docs/CONFIGURATION.md",
    "docs/TOOLS.md",
    "registry/documents.gen.json",
    "registry/shapes.gen.ts",
  ]);
  const added = changes.filter(([path, state]) => state === "??" && !(path in before)).map(([path]) => path);
  for (const path of added) assert.match(path, /(^|\/)newsletter\//);
  const committed = await project.git("show", "HEAD:deno.json");
  assert.deepEqual(withoutEnvironment(await project.read("deno.json")), withoutEnvironment(committed));
  assert.match(
    await project.read(".env.example"),
    /^#NEWSLETTER_API_BASE=https:\/\/api\.letters\.example\/v1$/m,
  );
  assert.match(await project.read("docs/CONFIGURATION.md"), /^\| `NEWSLETTER_API_BASE` \|/m);
}

async function byAdminApi(gateway: Running): Promise<void> {
  const add = (body: unknown) =>
    gateway.ask<Record<string, unknown>>("POST", "/admin/api/sites", MASTER, body);
  const site = { id: "api", name: "By API", platform: "newsletter" };
  const credentials = { newsletter: { api_key: KEY } };
  const made = await add({ ...site, newsletter_list: "list-7", credentials });
  assert.equal(made.status, 200, made.error?.message);
  assert.equal(made.result["newsletter_list"], "list-7");
  assert.ok(!JSON.stringify(made).includes(KEY), "the key is not shown");
  const faults: readonly (readonly [body: Record<string, unknown>, said: RegExp])[] = [
    [{ newsletter_list: "a/b" }, /^newsletter_list: expected an id/],
    [{ newsleter_list: "a" }, /newsleter_list.*did you mean newsletter_list/],
    [{ credentials: { newsletter: { api_key: "a b" } } }, /^credentials\.newsletter\.api_key: expected/],
    [{ base_url: "https://a.example" }, /^base_url: a newsletter site has none/],
    [
      { platform: "cms", base_url: "https://a.example", credentials },
      /^credentials\.newsletter: only newsletter/,
    ],
  ];
  for (const [more, said] of faults) {
    const refused = await add({ ...site, id: "wrong", ...more });
    assert.deepEqual([refused.status, refused.error?.code], [400, "E_BAD_INPUT"]);
    assert.match(refused.error!.message, said);
  }
  const { sites } = await gateway.admin<{ sites: { id: string; credentials: unknown }[] }>("GET", "/sites");
  assert.deepEqual(sites.map(({ id }) => id), ["api"]);
  assert.equal((sites[0]!.credentials as Record<string, boolean>)["newsletter"], true);
}

async function byCommandLine(project: Project, gateway: Running, steps: readonly Step[]): Promise<void> {
  const env = { GATEWAY_URL: await gateway.address() };
  const admin = async (args: readonly string[], stdin = ""): Promise<Printed> => {
    const printed = await project.deno(["task", "--quiet", "admin", ...args], { stdin, env });
    assert.equal(printed.code, 0, printed.stderr);
    return printed;
  };
  const [typed] = steps.flatMap((step) => step.kind === "operator" ? [step.command] : []);
  const [, given, words] = /^printf (\S+) \| deno task admin (.*)$/.exec(typed ?? "") ?? [];
  assert.ok(given && words, "the page shows how a site is added");
  await admin(words.split(" "), KEY);
  const shown = (await admin(["site", "show", "weekly"])).stdout;
  assert.match(shown, /^platform +newsletter$/m);
  assert.match(shown, /^newsletter_list +list-7$/m);
  assert.ok(!shown.includes(KEY));
  const help = (await admin(["site", "add", "--help"])).stdout;
  for (const option of ["--newsletter-list", "--newsletter-key-stdin", "--newsletter-key-env"]) {
    assert.ok(help.includes(option), option);
  }
  assert.match(help, /SITE_NEWSLETTER_KEY/);
  await admin(["site", "add", "bare", "--platform", "newsletter"]);
}

/** A call through MCP: the result's text as JSON, or the text of the refusal. */
async function overMcp(gateway: Running, token: string, name: string, args: unknown): Promise<unknown> {
  const { result } = await gateway.ask<{ content: { text: string }[]; isError?: boolean }>(
    "POST",
    "/mcp",
    token,
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    },
  );
  const { text } = result.content[0]!;
  return result.isError ? text : JSON.parse(text);
}

async function throughDoors(gateway: Running, letters: Letters): Promise<void> {
  const { token } = await gateway.token();
  const over = {
    rest: async (tool: string, args: Record<string, unknown>) => {
      const { result, error } = await gateway.call(token, tool, args);
      return error ? `${error.code}: ${error.message}` : result;
    },
    mcp: (tool: string, args: Record<string, unknown>) => overMcp(gateway, token, tool, args),
  };
  assert.deepEqual(letters.requests, [], "registering asked nobody");
  for (const [door, call] of Object.entries(over)) {
    const { sites } = await call("list_sites", {}) as {
      sites: { id: string; integrations: Record<string, boolean> }[];
    };
    const linked = Object.fromEntries(sites.map(({ id, integrations }) => [id, integrations["newsletter"]]));
    assert.deepEqual(linked, { api: true, bare: false, weekly: true });
    const { latency_ms: _, ...ping } = await call("ping_site", { site_id: "weekly" }) as Record<
      string,
      unknown
    >;
    assert.deepEqual(ping, {
      ok: true,
      platform: "newsletter",
      authenticated: true,
      list: "Weekly",
      subscribers: 12,
    });
    const checksOf = async (site_id: string, more: object = {}) => {
      const { checks } = await call("diagnose_site", { site_id, ...more }) as Checked;
      return checks.filter(({ name }) => name.startsWith("newsletter")).map(({ name, ok }) => [name, ok]);
    };
    assert.deepEqual(await checksOf("weekly"), [["newsletter_list", true], ["newsletter_answers", true]]);
    assert.deepEqual(await checksOf("bare"), [["newsletter_list", false], ["newsletter_answers", null]]);
    assert.deepEqual(await checksOf("weekly", { checks: ["newsletter_list"] }), [["newsletter_list", true]]);
    for (const tool of ["get_newsletter", "ping_site"]) {
      assert.match(
        String(await call(tool, { site_id: "bare" })),
        /^E_NEWSLETTER_NOT_LINKED: Site "bare" has no list/,
      );
    }
    await writesOnce(call, letters, `By ${door}`);
  }
  for (const { headers } of letters.requests) assert.equal(headers["authorization"], `Bearer ${KEY}`);
  const api = await (await fetch(`${await gateway.address()}/api/v1/openapi.json`)).json();
  for (const tool of ["get_newsletter", "create_issue"]) {
    assert.ok(api.paths[`/api/v1/tools/${tool}`]?.post, tool);
  }
  assert.ok(JSON.stringify(api).includes("E_NEWSLETTER_NOT_LINKED"));
}

async function writesOnce(
  call: (tool: string, args: Record<string, unknown>) => Promise<unknown>,
  letters: Letters,
  subject: string,
): Promise<void> {
  const before = letters.writes.length;
  const issue = { site_id: "weekly", subject, text: "It is here" };
  const preview = await call("create_issue", issue) as Record<string, unknown>;
  assert.equal(preview["needs_confirmation"], true, JSON.stringify(preview));
  assert.equal(letters.writes.length, before, "a preview writes nothing");
  const made = await call("create_issue", { ...issue, confirm: true }) as Record<string, unknown>;
  assert.deepEqual([made["subject"], made["status"]], [subject, "draft"]);
  const written = letters.writes.slice(before);
  assert.deepEqual(written.map(({ path, body }) => [path, body]), [
    ["/lists/list-7/issues", { subject, text: "It is here" }],
  ]);
  const { subjects } = await call("get_newsletter", { site_id: "api" }) as { subjects: string[] };
  assert.ok(subjects.includes(subject));
}

/** What the copy says instead of starting. */
async function refusal(project: Project): Promise<string> {
  let said = "";
  await inFolder(async (folder) => {
    await using gateway = start(folder, {}, { cwd: project.folder });
    const { code, stdout, stderr } = await gateway.ended;
    assert.deepEqual([code, stdout], [1, ""]);
    said = stderr;
  });
  return said;
}

async function refusedAtBoot(project: Project): Promise<void> {
  const generated = await project.read("deno.json");
  const json = JSON.parse(generated);
  json.permissions.serve.env = json.permissions.serve.env.filter((name: string) =>
    name !== "NEWSLETTER_API_BASE"
  );
  await project.write("deno.json", `${JSON.stringify(json, null, 2)}\n`);
  assert.match(await refusal(project), /NEWSLETTER_API_BASE: .*no permission to read it; run deno task gen/);
  await project.write("deno.json", generated);
}

async function staleCodes(project: Project): Promise<void> {
  await project.git("checkout", "--quiet", "core/errors.gen.ts");
  assert.match(await refusal(project), /E_NEWSLETTER_NOT_LINKED: .*run deno task gen/);
}
