/** What a connector sees and where it reaches: its own settings, credentials and origins, and what it may borrow. */
import assert from "node:assert/strict";
import { makeConnectorContext } from "../../../guard/connector_context.ts";
import { providerOf } from "../../../guard/pipeline/context.ts";
import { FactCaches } from "../../../guard/fact_caches.ts";
import type { Caller, CredentialKind, Site } from "../../../core/model.ts";
import type { Connector } from "../../../platforms/_connector/connector.ts";
import { posts } from "../../../platforms/_content/posts.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { Connectors } from "../../../registry/connectors.ts";
import { CONNECTORS } from "../../connectors.ts";
import { site } from "../platforms/_site.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const ACME = site({});
const CALLER = {} as Caller;

const fields = { token: { schema: {} as never, help: "h", option: "o", variable: "V" } };
const setting = { default: null, meaning: "M", read: (text: string) => text };

/** The lender of the tests signs with its credential, on two origins. */
const lender: Connector = {
  name: "lender",
  product: "Lender",
  kinds: ["cms"],
  scope: "site",
  settings: { LENDER_KEY: setting },
  credentials: { cms: { fields } },
  origins: ({ site }) => site?.base_url ? [site.base_url, "https://api.lender.example"] : [],
  policy: () => assert.fail("the lender's policy was asked"),
  sign: async (ctx) => {
    const { application_password } = await ctx.secret("cms");
    return { authorization: `Signed ${application_password} ${ctx.settings.LENDER_KEY}` };
  },
  connect: () => null,
};

/** The borrower refuses what is said to be bad, and remembers what it was asked. */
function borrowing(judged: Outgoing[], more: Partial<Connector> = {}): Connector {
  return {
    name: "borrower",
    product: "Borrower",
    scope: "gateway",
    settings: { BORROWER_KEY: setting },
    origins: () => ["https://borrower.example"],
    policy: (out) => {
      judged.push(out);
      return out.url.endsWith("/bad") ? "it is bad" : null;
    },
    borrows: ["lender"],
    connect: () => null,
    ...more,
  };
}

interface Wanted {
  readonly site?: Site | null;
  readonly caller?: Caller | null;
  readonly borrower?: Partial<Connector>;
  readonly lender?: Partial<Connector>;
  readonly fetch?: (url: string) => Response;
}

/** A gateway of these two, and what left it. */
function world({ site = ACME, caller = CALLER, borrower = {}, lender: more = {}, fetch }: Wanted = {}) {
  const judged: Outgoing[] = [];
  const sent: Request[] = [];
  const made = { lender: { ...lender, ...more }, borrower: borrowing(judged, borrower) };
  const others = Object.values(made);
  const connectors = Object.create(Connectors.prototype, {
    get: { value: (name: string) => others.find((one) => one.name === name) },
  }) as Connectors;
  const ports = {
    connectors,
    store: {
      accounts: { token: () => assert.fail("no account is asked for") },
      paces: { of: () => assert.fail("no pace is kept") },
      sites: {
        secret: (id: string, kind: CredentialKind) =>
          Promise.resolve(id === "acme" && kind === "cms" ? { application_password: "aaaa" } as never : null),
      },
    },
    http: createHttp({
      allowPrivate: [],
      now: () => NOW,
      lookup: () => Promise.resolve(["93.184.215.14"]),
      fetch: (input: string | URL | Request, init?: RequestInit) => {
        const request = new Request(input, init);
        sent.push(request);
        return Promise.resolve(fetch?.(request.url) ?? new Response("{}"));
      },
    }),
    upstream: { LENDER_KEY: "lent", BORROWER_KEY: "own", OTHER_KEY: "foreign" },
    cache: new FactCaches(() => NOW),
    now: () => NOW,
  };
  const context = (one: keyof typeof made) =>
    makeConnectorContext(ports, { site, caller, deadline: NOW + 30_000 }, made[one]);
  return { judged, sent, context, ports };
}

const read = (url: string, headers: Record<string, string> = {}): Outgoing => ({
  method: "GET",
  url,
  effect: "read",
  headers,
});

Deno.test("a connector sees its own settings and no other's", () => {
  const { context } = world();
  assert.deepEqual(context("borrower").settings, { BORROWER_KEY: "own" });
  assert.deepEqual(context("lender").settings, { LENDER_KEY: "lent" });
});

Deno.test("a connector gets no credential but its own kinds'", async () => {
  const { context } = world();
  assert.equal((await context("lender").secret("cms")).application_password, "aaaa");
  for (const kind of ["cms", "crm", "constructor"] as CredentialKind[]) {
    await assert.rejects(context("borrower").secret(kind), {
      code: "E_INTERNAL",
      message: `The connector "borrower" has no credential "${kind}" to use`,
    });
  }
  await assert.rejects(world({ site: site({ id: "beta" }) }).context("lender").secret("cms"), {
    code: "E_MISSING_SECRET",
    message:
      'Site "beta" has no cms credentials; its operator can set them with deno task admin site update beta --o-stdin',
  });
});

Deno.test("a connector of a site is refused to a tool without one, and one of the gateway is not", async () => {
  const { context, sent } = world({ site: null });
  assert.throws(() => context("lender"), {
    code: "E_INTERNAL",
    message: 'A tool without a site asked for "lender", which needs one',
  });
  const borrower = context("borrower");
  assert.equal(borrower.site, undefined);
  assert.equal((await borrower.send(read("https://borrower.example/x"))).status, 200);
  assert.deepEqual(sent.map(({ url }) => url), ["https://borrower.example/x"]);
  await assert.rejects(borrower.borrow("lender").send(read("https://api.lender.example/x")), {
    code: "E_INTERNAL",
  });
  assert.equal(sent.length, 1);
});

Deno.test("what is borrowed is signed last, whatever the borrower says, and the borrower never sees it", async () => {
  const { context, judged, sent } = world();
  const headers = { authorization: "mine", AUTHORIZATION: "mine too", "x-own": "1" };
  await context("borrower").borrow("lender").send(read("https://acme.example/x", headers));
  assert.equal(sent[0]!.headers.get("authorization"), "Signed aaaa lent");
  assert.equal(sent[0]!.headers.get("x-own"), "1");
  assert.deepEqual(judged.map((out) => out.headers), [{ "x-own": "1" }]);
});

Deno.test("what is borrowed goes to the lender's origins only, and the borrower's policy judges", async () => {
  const { context, judged, sent } = world();
  const borrowed = context("borrower").borrow("lender");
  await borrowed.send(read("https://api.lender.example/x"));
  for (const url of ["https://borrower.example/x", "https://evil.example/x", "http://acme.example/x"]) {
    await assert.rejects(borrowed.send(read(url)), { code: "E_FORBIDDEN_OP", message: /is not where/ });
  }
  assert.equal(judged.length, 1);
  await assert.rejects(borrowed.send(read("https://acme.example/bad")), /it is bad$/);
  await assert.rejects(context("borrower").send(read("https://acme.example/x")), /is not where/);
  assert.equal(sent.length, 1);
});

Deno.test("what is borrowed goes to further origins only where the lender allows them by the borrower's settings", async () => {
  const lends = {
    borrower: ({ BORROWER_KEY: key }: Record<string, string | null>) => [`https://${key}.example`],
  };
  const policy: string[] = [];
  const borrower: Partial<Connector> = {
    policy: (_, { lender }) => {
      policy.push(lender ?? "none");
      return null;
    },
  };
  const { context, sent } = world({ borrower, lender: { lends } });
  const borrowed = context("borrower").borrow("lender");
  await borrowed.send(read("https://own.example/x"));
  assert.equal(sent[0]!.headers.get("authorization"), "Signed aaaa lent");
  await assert.rejects(borrowed.send(read("https://foreign.example/x")), /is not where/);
  await context("borrower").send(read("https://borrower.example/x"));
  await assert.rejects(context("borrower").send(read("https://own.example/x")), /is not where/);
  assert.deepEqual(policy, ["lender", "none"], "the policy knows whose credential signs");
  const stranger = world({ borrower, lender: { lends: { another: lends.borrower } } });
  await assert.rejects(
    stranger.context("borrower").borrow("lender").send(read("https://own.example/x")),
    /is not where/,
  );
  assert.deepEqual(stranger.sent, []);
});

Deno.test("a redirect carries nothing that was borrowed to another origin", async () => {
  const to = (location: string) =>
    world({
      fetch: (url) =>
        url.endsWith("/from")
          ? new Response(null, { status: 302, headers: { location } })
          : new Response("{}"),
    });
  const between = to("https://api.lender.example/x");
  await between.context("borrower").borrow("lender").send(
    read("https://acme.example/from", { "x-own": "1" }),
  );
  assert.deepEqual(between.sent.map(({ headers }) => [headers.get("authorization"), headers.get("x-own")]), [
    ["Signed aaaa lent", "1"],
    [null, null],
  ]);
  for (
    const location of ["https://borrower.example/x", "https://evil.example/x", "https://a:b@acme.example/x"]
  ) {
    const out = to(location);
    await assert.rejects(out.context("borrower").borrow("lender").send(read("https://acme.example/from")), {
      code: "E_UPSTREAM",
      message: /which was not followed/,
    });
    assert.equal(out.sent.length, 1);
  }
});

Deno.test("nobody borrows from who is not named, and from nobody who signs nothing", () => {
  const say = (name: string) => ({
    code: "E_INTERNAL",
    message: `The connector "borrower" may not borrow from "${name}"`,
  });
  assert.throws(() => world().context("borrower").borrow("borrower"), say("borrower"));
  assert.throws(
    () => world({ borrower: { borrows: [] } }).context("borrower").borrow("lender"),
    say("lender"),
  );
  assert.throws(
    () => world({ borrower: { borrows: ["borrower"] } }).context("borrower").borrow("borrower"),
    say("borrower"),
  );
});

Deno.test("content of a site that has none is refused in a sentence", () => {
  const says = { code: "E_NOT_SUPPORTED", message: /^Posts of a crm site cannot be reached: .*own editor$/ };
  assert.throws(() => providerOf(CONNECTORS, "crm", posts), says);
});
