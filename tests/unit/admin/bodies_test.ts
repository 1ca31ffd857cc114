/** Malformed bodies: every field of every record with every wrong type, and what a whole body may not be. */
import assert from "node:assert/strict";
import { FLAGS, LIMITS } from "../../../core/model.ts";
import { CONNECTORS, TEXT_FIELDS } from "../../connectors.ts";
import { kit, told } from "./kit.ts";

/** A value that a field without one of its own below takes. */
function sample(field: string): string | undefined {
  return ["x1", "1234567890", "owner/name", "https://acme.test"]
    .find((text) => CONNECTORS.siteFields.get(field)?.schema.safeParse(text).success);
}

const LINKS: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, sample(field)])),
  repo: "acme/site",
  repo_branch: "main",
  repo_prefix: "content/posts",
  hosting_project: "acme-site",
  analytics_property_id: "properties/123",
  search_site_url: "sc-domain:acme.test",
  ads_customer_id: "123-456-7890",
  ads_login_customer_id: "1234567890",
  social_ad_account_id: "act_99",
  behavior_project_id: "p1",
  topicmap_workspace_id: "ws_1",
  storage_folder_id: "1AbC-_x",
  storage_user_id: "u1",
  account_user_id: "u1",
  social_ads_user_id: "u1",
  site_alias: "1a2b3c4d",
  crm_location_id: "Loc123",
};
assert.deepEqual(Object.keys(LINKS).sort(), [...TEXT_FIELDS].sort());
assert.ok(!Object.values(LINKS).includes(undefined), "every field has a sample");
const SETTABLE = {
  base_url: "https://acme.test",
  project_id: "p",
  flags: Object.fromEntries(FLAGS.map((flag) => [flag, true])),
  credentials: {
    cms: { username: "bot", application_password: "aaaa bbbb" },
    crm: { integration_token: "pit-1" },
    behavior: { export_token: "a.b.c" },
  },
  available_builders: ["block"],
  default_builder: "block",
  seo: { enabled: true, channel: "rest" },
  ...LINKS,
};
const RECORDS: [string, string, Record<string, unknown>][] = [
  ["POST", "/admin/api/tokens", {
    name: "writer",
    env: "dev",
    allowed_sites: ["acme"],
    allowed_tools: ["get_post"],
    max_risk: 1,
    skip_write_confirm: true,
    owner_user_id: "u1",
  }],
  ["POST", "/admin/api/sites", { id: "new", name: "New", platform: "cms", ...SETTABLE }],
  ["PATCH", "/admin/api/sites/acme", { name: "Acme", ...SETTABLE }],
  ["POST", "/admin/api/projects", { id: "q", name: "Q" }],
  ["POST", "/admin/api/users", { email: "new@acme.test", role: "member", allowed_sites: ["*"], max_risk: 1 }],
  ["PATCH", "/admin/api/users/u1", {
    email: "x@acme.test",
    role: "admin",
    allowed_sites: ["acme"],
    max_risk: 2,
  }],
];
const NULLABLE = /^(owner_user_id|base_url|project_id|default_builder|credentials\.(cms|crm|behavior))$/;
const SAMPLES: unknown[] = [
  7,
  -1,
  1.5,
  1e300,
  true,
  "\u0000",
  "",
  " ",
  "é\n",
  "../..",
  [],
  [[]],
  [7],
  [null],
  {},
  {
    x: 1,
  },
  null,
];

/** Every place in a body: its path in words, its value, and the body with another value there. */
function* places(
  body: Record<string, unknown>,
  path = "",
): Generator<[string, unknown, (to: unknown) => unknown]> {
  for (const [key, value] of Object.entries(body)) {
    const at = path ? `${path}.${key}` : key;
    yield [at, value, (to) => ({ ...body, [key]: to })];
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    for (const [inner, was, put] of places(value as Record<string, unknown>, at)) {
      yield [inner, was, (to) => ({ ...body, [key]: put(to) })];
    }
  }
}

/** Whether a sample may well stand there. */
function fits(path: string, at: string, was: unknown, sample: unknown): boolean {
  if (sample === null) return NULLABLE.test(at) || at in LINKS;
  if (Array.isArray(was)) {
    return Array.isArray(sample) && sample.length === 0 && !path.endsWith("tokens");
  }
  if (typeof was === "object") {
    return typeof sample === "object" && !("x" in sample) && !Array.isArray(sample);
  }
  if (typeof was === "number") return sample === 1;
  if (typeof was === "boolean") return sample === true;
  // What goes into a header is not read further; text of one line is what the others may be.
  if (/_token$/.test(at)) return sample === "../..";
  return typeof sample === "string" && sample.trim() !== "" && !/\p{Cc}/u.test(sample.trim()) &&
    /^(name|credentials\.cms\.(username|application_password))$/.test(at);
}

async function prepared() {
  const gw = await kit();
  await gw.ok("POST", "/admin/api/projects", { id: "p", name: "P" });
  const site = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.test" };
  await gw.ok("POST", "/admin/api/sites", {
    ...site,
    available_builders: ["block"],
    default_builder: "block",
  });
  const { user_id } = await gw.ok<{ user_id: string }>("POST", "/admin/api/users", {
    email: "a@acme.test",
    role: "admin",
    allowed_sites: ["*"],
  });
  gw.store.written.length = 0;
  /** The user is called u1 here. */
  const own = (text: string) => text.replaceAll(/(?<=["/])u1\b/g, user_id);
  return {
    ...gw,
    call: (method: string, path: string, body: unknown) =>
      gw.call(method, own(path), typeof body === "string" ? body : own(JSON.stringify(body))),
  };
}

Deno.test("the bodies below are right as they stand", async () => {
  for (const [method, path, body] of RECORDS) {
    const gw = await prepared();
    const sent = path.endsWith("tokens") ? { ...body, skip_write_confirm: false } : body;
    assert.equal((await gw.call(method, path, sent)).status, 200, path);
  }
});

Deno.test("a wrong type in any place is refused with the name of the place", async () => {
  let tried = 0;
  for (const [method, path, body] of RECORDS) {
    const gw = await prepared();
    for (const [at, was, put] of places(body)) {
      for (const sample of SAMPLES) {
        if (fits(path, at, was, sample)) continue;
        const reply = await gw.call(method, path, put(sample));
        const where = `${path} ${at} = ${JSON.stringify(sample)}`;
        assert.equal(reply.status, 400, where);
        assert.ok(told(reply, "E_BAD_INPUT").includes(at), `${where}: ${reply.text}`);
        tried++;
      }
    }
    assert.deepEqual(gw.store.written, []);
    assert.deepEqual(gw.reports, []);
  }
  assert.ok(tried > 1000, String(tried));
});

Deno.test("a field left out is required or not", async () => {
  const required: Record<string, string[]> = {
    "POST /admin/api/tokens": ["name", "env", "allowed_sites", "allowed_tools"],
    "POST /admin/api/sites": ["id", "name", "platform", "base_url"],
    "POST /admin/api/projects": ["id", "name"],
    "POST /admin/api/users": ["email", "role", "allowed_sites"],
  };
  for (const [method, path, body] of RECORDS) {
    for (const field of Object.keys(body)) {
      const gw = await prepared();
      const rest: Record<string, unknown> = { ...body };
      if (path.endsWith("tokens")) rest.skip_write_confirm = false;
      delete rest[field];
      if (field === "available_builders") delete rest.default_builder;
      const reply = await gw.call(method, path, rest);
      if (!required[`${method} ${path}`]?.includes(field)) {
        assert.equal(reply.status, 200, `${path} ${field}`);
      } else assert.match(told(reply, "E_BAD_INPUT"), new RegExp(`^${field} is required`));
    }
  }
});

Deno.test("an unknown field is refused with the nearest known name", async () => {
  const gw = await prepared();
  const cases: [string, string, unknown, string][] = [
    [
      "POST",
      "/admin/api/projects",
      { id: "q", name: "Q", titel: 1 },
      "titel: unknown field, known are id, name",
    ],
    [
      "POST",
      "/admin/api/projects",
      { id: "q", naem: "Q" },
      "name is required; naem: unknown field, did you mean name",
    ],
    [
      "PATCH",
      "/admin/api/sites/acme",
      { flags: { allow_publsh: true } },
      "flags.allow_publsh: unknown field, did you mean allow_publish",
    ],
    [
      "PATCH",
      "/admin/api/sites/acme",
      { credentials: { cms: { user: "x", application_password: "y" } } },
      "credentials.cms.username is required; credentials.cms.user: unknown field, did you mean username",
    ],
    ["PATCH", "/admin/api/sites/acme", '{"__proto__":{"x":1}}', "__proto__: unknown field"],
    ["PATCH", "/admin/api/sites/acme", { "a\u0000\nb": 1, constructor: 2 }, '"a\\u0000\\nb": unknown'],
    ["PATCH", "/admin/api/users/u1", { max_rsk: 1 }, "max_rsk: unknown field, did you mean max_risk"],
    ["POST", "/admin/api/tokens", { tools: ["*"] }, "name is required; env is required"],
  ];
  for (const [method, path, body, message] of cases) {
    const said = await gw.refused("E_BAD_INPUT", method, path, body);
    assert.ok(said.includes(message), said);
  }
});

Deno.test("a flood of faults is told in part", async () => {
  const gw = await prepared();
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field_${n}`, n]));
  assert.ok((await gw.refused("E_BAD_INPUT", "POST", "/admin/api/projects", many)).length < 3000);
  const allowed_sites = Array.from({ length: 400 }, (_, n) => `gone-${n}`);
  const user = { email: "b@c", role: "admin", allowed_sites };
  assert.match(await gw.refused("E_BAD_INPUT", "POST", "/admin/api/users", user), /; and 380 more$/);
});

Deno.test("a body that is no JSON object is refused as such", async () => {
  const gw = await prepared();
  for (const [method, path] of RECORDS) {
    for (const body of ["", " ", "{", "nul", "[]", "null", "7", '"x"', "{}}", "{'a':1}", "\u0000"]) {
      await gw.refused("E_BAD_JSON", method, path, body);
    }
    const bytes = await gw.raw(path, {
      method,
      headers: { authorization: `Bearer master-token-of-the-tests-0123456789` },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    });
    assert.equal(
      told(bytes, "E_BAD_JSON"),
      "The body is not UTF-8; send a JSON object in UTF-8, {} when it is empty",
    );
    await gw.refused("E_BAD_INPUT", method, path, "[".repeat(3).replaceAll("[", '{"a":') + "1" + "}}}");
    await gw.refused("E_BAD_JSON", method, path, '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000));
  }
});

Deno.test("a body over the limit is refused, whether it says its size or not", async () => {
  const gw = await prepared();
  const big = JSON.stringify({ id: "q", name: "x".repeat(LIMITS.ADMIN_BODY_BYTES) });
  assert.match(await gw.refused("E_PAYLOAD_TOO_LARGE", "POST", "/admin/api/projects", big), /over 256 KiB/);
  let given = 0;
  const endless = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(64 * 1024));
      given += 64 * 1024;
    },
  }, { highWaterMark: 0 });
  const request = new Request("http://127.0.0.1:8000/admin/api/projects", {
    method: "POST",
    headers: { authorization: "Bearer master-token-of-the-tests-0123456789" },
    body: endless,
  });
  const response = await gw.app.request(request);
  assert.equal(response.status, 413);
  await response.body?.cancel();
  assert.equal(given, LIMITS.ADMIN_BODY_BYTES + 64 * 1024 + 4 * 1024 * 1024, "so much of it is thrown away");
});
