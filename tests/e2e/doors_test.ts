/** The same call through both doors: the same result, the same refusal, the same audit row; and who may call what. */
import assert from "node:assert/strict";
import type { AuditRow, Tier } from "../../core/model.ts";
import { lasting } from "../cms_kit.ts";
import { type Ending, gateway, type Kit, type KitOptions, owned, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** What the link of the toys asks for. */
const APP = { REPO_APP_ID: "1", REPO_APP_PRIVATE_KEY: "a key that nothing signs with" };
const LINKED = { repo: "acme/site" };

const OPTIONS: KitOptions = {
  roots: [new URL("../fixtures/toys/", import.meta.url)],
  settings: {
    upstream: {
      ADS_DEVELOPER_TOKEN: "dev",
      HOSTING_API_TOKEN: "token",
      HOSTING_ACCOUNT_ID: "account",
      ...APP,
    },
  },
  allowPrivate: ["acme.example", "broken.example"],
  fetch: (input) =>
    Promise.resolve(new Response("{}", { status: String(input).includes("broken") ? 418 : 200 })),
  sites: [
    site("acme", "cms", LINKED),
    site("broken", "cms", LINKED),
    site("other", "cms", LINKED),
    site("files", "static", LINKED),
  ],
  tokens: {
    narrow: { allowed_sites: ["acme"], allowed_tools: ["toy_read", "toy_write", "list_sites"], max_risk: 0 },
    bold: { skip_write_confirm: true },
  },
};

const WRITE = { site_id: "acme", title: "Hello" };
const SECRET = `gate_dev_${"s".repeat(43)}`;

/** A call, the token it is made with, and the status and code its row must have. */
type Call = readonly [
  name: string,
  tool: string,
  args: Record<string, unknown>,
  as: string,
  status: string,
  code: string | null,
];

const CALLS: readonly Call[] = [
  ["an answer", "list_sites", {}, "all", "ok", null],
  ["a read", "toy_read", { site_id: "acme", page: 2 }, "all", "ok", null],
  ["a filled-in default", "toy_read", { site_id: "acme" }, "narrow", "ok", null],
  ["a plain text", "toy_fault", { text: "plain words" }, "all", "ok", null],
  ["a text that is JSON", "toy_fault", { text: '{"a": [1]}' }, "all", "ok", null],
  ["a preview", "toy_write", WRITE, "all", "needs_confirmation", null],
  [
    "a preview with a secret",
    "toy_write",
    { ...WRITE, title: `with ${SECRET}` },
    "all",
    "needs_confirmation",
    null,
  ],
  ["a confirmed write", "toy_write", { ...WRITE, confirm: true }, "all", "ok", null],
  ["a write that skips the confirm", "toy_write", WRITE, "bold", "ok", null],
  ["an unknown tool", "toy_raed", { site_id: "acme" }, "all", "error", "E_TOOL_NOT_FOUND"],
  ["a tool out of scope", "get_site", { site_id: "acme" }, "narrow", "denied", "E_SCOPE_DENIED"],
  ["a site out of scope", "toy_read", { site_id: "other" }, "narrow", "denied", "E_SCOPE_DENIED"],
  ["a tier over the cap", "toy_write", WRITE, "narrow", "risk_capped", "E_SCOPE_DENIED"],
  ["a publishing word", "toy_write", { ...WRITE, status: "publish" }, "all", "error", "E_FORBIDDEN_OP"],
  ["a bad argument", "toy_read", { site_id: "acme", page: 0 }, "all", "error", "E_BAD_INPUT"],
  ["no site", "toy_read", {}, "all", "error", "E_BAD_INPUT"],
  ["an unknown site", "toy_read", { site_id: "gone" }, "all", "error", "E_NOT_FOUND"],
  ["another platform", "toy_read", { site_id: "files" }, "all", "error", "E_NOT_SUPPORTED"],
  [
    "a flag not set",
    "toy_write",
    { ...WRITE, loud: true, volume: 1 },
    "all",
    "error",
    "E_PUBLISH_NOT_ALLOWED",
  ],
  ["a bad route", "toy_write", { ...WRITE, route: "../a" }, "all", "error", "E_BAD_ROUTE"],
  [
    "an upstream's failure",
    "toy_write",
    { ...WRITE, site_id: "broken", confirm: true },
    "all",
    "error",
    "E_UPSTREAM",
  ],
  ["a fault inside", "toy_fault", {}, "all", "error", "E_INTERNAL"],
];

/** What of an ending must be the same; the request id in a message and the token of a preview are each call's own. */
function comparable(ending: Ending): unknown {
  if ("value" in ending) {
    const { value } = ending;
    const fields = typeof value === "object" && value !== null ? value : {};
    if ("confirm_token" in fields) return { value: lasting(fields as Parameters<typeof lasting>[0]) };
    return "request_id" in fields ? { value: { ...fields, request_id: "<id>" } } : ending;
  }
  return { code: ending.code, message: ending.message.replace(/"[0-9A-Z]{26}"/, '"<id>"') };
}

function rowOf({ id: _, request_id: __, door: ___, at: ____, ...row }: AuditRow): unknown {
  return row;
}

const test = scenes(() => gateway(OPTIONS));

for (const [name, tool, args, as, status, code] of CALLS) {
  test(`through both doors alike: ${name}`, async (gw) => {
    const rest = await gw.end(tool, args, { door: "rest", as });
    const sent = gw.requests.splice(0).map(({ method, url }) => `${method} ${url}`);
    const mcp = await gw.end(tool, args, { door: "mcp", as });
    assert.deepEqual(comparable(rest), comparable(mcp));
    assert.deepEqual(gw.requests.map(({ method, url }) => `${method} ${url}`), sent);
    const rows = await gw.audit();
    assert.deepEqual(rows.map((row) => row.door), ["mcp", "rest"]);
    assert.deepEqual(rowOf(rows[0]!), rowOf(rows[1]!));
    assert.deepEqual([rows[0]?.status, rows[0]?.error], [status, code]);
    assert.equal("code" in rest ? rest.code : null, code);
    assert.ok(!JSON.stringify([rest, mcp, rows]).includes(SECRET), "a credential is neither kept nor shown");
  });
}

const listed = async (gw: Kit, as: string) => {
  const rest = await (await gw.http("/api/v1/tools", { as })).json();
  const mcp = await (await gw.http("/mcp", {
    method: "POST",
    as,
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })).json();
  const names = (tools: { name: string }[]) => tools.map((tool) => tool.name);
  return [names(rest.result.tools), names(mcp.result.tools)];
};

Deno.test("both doors list what the token's allowed_tools name and its ceiling lets through, whatever its sites", async () => {
  await using gw = await gateway({
    ...OPTIONS,
    tokens: { ...OPTIONS.tokens, none: { allowed_tools: ["no_such"] } },
  });
  const all = gw.gateway.catalog.entries().filter(({ manifest }) => manifest.listing !== "search")
    .map(({ name }) => name);
  assert.deepEqual(await listed(gw, "all"), [all, all]);
  const narrow = ["list_sites", "toy_read"];
  assert.deepEqual(await listed(gw, "narrow"), [narrow, narrow]);
  assert.deepEqual(await listed(gw, "none"), [[], []]);
});

/** A user with a token of theirs that claims everything; calls are made with its text. */
async function ofMember(gw: Kit, grants: { allowed_sites: string[]; max_risk: Tier }) {
  const { user, token, text } = await owned(gw.store, grants, { skip_write_confirm: true });
  const headers = { authorization: `Bearer ${text}`, "content-type": "application/json" };
  const post = async (path: string, body: unknown) =>
    await (await gw.http(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  return {
    user,
    post,
    token,
    get: async (path: string) => await (await gw.http(path, { headers })).json(),
    /** The code of the refusal, the same through both doors, or null; `result` is what REST answered. */
    async call(tool: string, args: Record<string, unknown>) {
      const rest = await post(`/api/v1/tools/${tool}`, args);
      const params = { name: tool, arguments: args };
      const { result } = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const code = result.isError ? result.content[0].text.split(":")[0] : null;
      assert.equal(rest.error?.code ?? null, code);
      return { code, result: rest.result };
    },
  };
}

const ids = (sites: { id: string }[]) => sites.map((one) => one.id);

test("a user's token never reaches past the user's sites and max_risk, nor once the user is narrowed", async (gw) => {
  const { user, call, get } = await ofMember(gw, { allowed_sites: ["acme", "other"], max_risk: 1 });
  const seen = async () => [
    ids((await get("/api/v1/sites")).result.sites),
    ids((await call("list_sites", {})).result.sites),
  ];
  assert.deepEqual(await seen(), [["acme", "other"], ["acme", "other"]]);
  assert.equal((await call("toy_read", { site_id: "broken" })).code, "E_SCOPE_DENIED");
  assert.equal(
    (await call("toy_read", { site_id: "gone" })).code,
    "E_SCOPE_DENIED",
    "whether it exists is not told",
  );
  assert.equal((await call("toy_write", { ...WRITE, loud: true, volume: 1 })).code, "E_SCOPE_DENIED");
  assert.equal((await call("toy_destroy", { site_id: "acme" })).code, "E_SUPER_ADMIN_ONLY");
  const { result } = await call("toy_write", WRITE);
  assert.equal(result.needs_confirmation, true, "only a super-admin token skips the confirm");
  assert.equal((await call("toy_write", { ...WRITE, confirm: true })).code, null);

  await gw.store.users.update(user.id, { allowed_sites: ["other"] });
  assert.deepEqual(await seen(), [["other"], ["other"]]);
  assert.equal((await call("toy_read", { site_id: "acme" })).code, "E_SCOPE_DENIED");
  await gw.store.users.update(user.id, { max_risk: 0, allowed_sites: ["*"] });
  assert.equal((await call("toy_read", { site_id: "acme" })).code, null);
  assert.equal((await call("toy_write", { ...WRITE, confirm: true })).code, "E_SCOPE_DENIED");
  const [row] = await gw.audit();
  assert.deepEqual([row?.status, row?.owner_user_id], ["risk_capped", user.id]);
});

test("whoami says what holds of a token beside its owner: the sites of both, the lower ceiling", async (gw) => {
  const { token: { id }, user, get } = await ofMember(gw, { allowed_sites: ["*"], max_risk: 3 });
  const cases: [token: string[], owner: string[], held: string[]][] = [
    [["acme", "other"], ["other", "broken"], ["other"]],
    [["*"], ["other"], ["other"]],
    [["acme"], ["*"], ["acme"]],
    [["*"], ["*"], ["*"]],
    [["*"], [], []],
  ];
  for (const [max_risk, [token, owner, held]] of cases.entries()) {
    await gw.store.tokens.update(id, { allowed_sites: token, max_risk: max_risk as Tier });
    await gw.store.users.update(user.id, { allowed_sites: owner, max_risk: 2 });
    const { result } = await get("/api/v1/whoami");
    assert.deepEqual([result.allowed_sites, result.max_risk], [held, Math.min(max_risk, 2)]);
    assert.deepEqual([result.super_admin, result.owner_user_id], [false, user.id]);
  }
  await gw.store.tokens.update(id, { confirm_policy: "preview" });
  assert.equal((await get("/api/v1/whoami")).result.confirm_policy, "preview");
});

test("a revoked token is refused by both doors with the next call, and told when it was", async (gw) => {
  const { token, get, post } = await ofMember(gw, { allowed_sites: ["*"], max_risk: 4 });
  assert.equal((await get("/api/v1/whoami")).ok, true);
  await gw.store.tokens.revoke(token.id);
  for (const path of ["/api/v1/whoami", "/api/v1/sites", "/api/v1/tools", "/mcp"]) {
    const { error } = path === "/mcp" ? await post(path, {}) : await get(path);
    assert.equal(error.code, "E_AUTH");
    assert.match(error.message, /^The token was revoked at 2026-11-21T12:00:00\.000Z; ask for a new one$/);
  }
  assert.deepEqual(await gw.audit(), []);
});
