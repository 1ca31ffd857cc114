/** A site of the sandbox with a real way out and real handlers, but without the guard line. */
import { FactCaches } from "../../../guard/fact_caches.ts";
import assert from "node:assert/strict";
import type { GatewayError } from "../../../core/errors.ts";
import { providerOf } from "../../../guard/pipeline/context.ts";
import type { Caller, Made, Site } from "../../../core/model.ts";
import { createHttp, type HttpOptions } from "../../../platforms/_http/http.ts";
import type { Capability, Connector, ConnectorContext } from "../../../platforms/_connector/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import {
  type AuditFacts,
  type Plan,
  type ToolContext,
  type ToolModule,
  WriteResult,
} from "../../../registry/tool.ts";
import type { CmsSandbox, CmsUser } from "../../../sandbox/wordpress/start.ts";
import { CONNECTORS } from "../../connectors.ts";
import { defaults, judge } from "./_judged.ts";
import { refused } from "./_refused.ts";
import { unkept } from "./_servers.ts";
import { site } from "./_site.ts";

export { refused } from "./_refused.ts";

/** The one grant that is genuine here. */
export const GRANT = { site_id: "acme", tool: "publish_post" } as PublishGrant;

type Args = Record<string, unknown>;
type Login = Pick<CmsUser, "username" | "application_password">;

const handlers = new Map<string, ToolModule>();
for (const group of ["discovery", "posts"]) {
  for (const { name } of Deno.readDirSync(new URL(`../../../tools/${group}`, import.meta.url))) {
    if (name.startsWith("_")) continue;
    const { default: module } = await import(`../../../tools/${group}/${name}`);
    handlers.set(module.name, module);
  }
}

/** How a world differs from an administrator's at the sandbox's address with the true clock. */
export interface WorldOptions {
  readonly as?: Login;
  readonly site?: Partial<Site>;
  readonly now?: () => number;
  readonly http?: Partial<HttpOptions>;
}

/** Everything a test does to one site. */
export class World {
  readonly site: Site;
  /** What went out, as it stood before the look. */
  readonly sent: Outgoing[] = [];
  readonly facts: AuditFacts = {};
  /** What the tools said they made. */
  readonly made: Made[] = [];
  readonly #login: Login;
  readonly #now: () => number;
  readonly #http;

  constructor(base_url: string, options: WorldOptions) {
    this.site = site({ base_url, ...options.site });
    this.#login = options.as ?? { username: "nobody", application_password: "wrong" };
    this.#now = options.now ?? Date.now;
    const sleep = () => Promise.resolve();
    this.#http = createHttp({ allowPrivate: ["127.0.0.1"], sleep, fetch: unkept, ...options.http });
  }

  /** A client of the site, its requests judged as in service. */
  async client<Client>(wanted: Connector<Client> | Capability<Client>): Promise<Client> {
    if (!("capability" in wanted)) return await wanted.connect!(this.reach(wanted));
    const { connector, provision } = providerOf(CONNECTORS, this.site.platform, wanted);
    return await provision.connect(this.reach(connector)) as Client;
  }

  reach(connector: Connector): ConnectorContext {
    return {
      site: this.site,
      now: this.#now,
      deadline: this.#now() + 60_000,
      settings: defaults(connector),
      borrow: unasked,
      pace: unasked,
      secret: () => Promise.resolve(this.#login) as Promise<never>,
      cache: new FactCaches(this.#now).of(this.site, connector.name),
      send: (out) => {
        this.sent.push(out);
        const granted = (grant: PublishGrant) => grant === GRANT;
        const policy = (hop: Outgoing) => judge(connector, this.site, hop, { granted, now: this.#now() });
        return this.#http.send(out, { deadline: this.#now() + 60_000, policy });
      },
    };
  }

  /** Walks a tool's `check`, `plan` and `run`, as a confirmed call does. */
  async call<T = Record<string, unknown>>(name: string, args: Args = {}): Promise<T> {
    const { module, context } = this.#open(name);
    module.check?.(args, context);
    const plan = await module.plan?.(args, context);
    const answer = await module.run(args, context, plan);
    return (answer instanceof WriteResult ? answer.toJSON() : answer) as T;
  }

  /** Walks `check` and `plan` alone, as a call without confirm does. */
  async preview(name: string, args: Args = {}): Promise<Plan> {
    const { module, context } = this.#open(name);
    module.check?.(args, context);
    assert.ok(module.plan, `${name} plans`);
    return await module.plan(args, context);
  }

  /** Asserts that the call is refused with that code; answers the error. */
  async refuses(code: string, message: RegExp, name: string, args: Args = {}): Promise<GatewayError> {
    return await refused(code, message, this.call(name, args));
  }

  get writes(): Outgoing[] {
    return this.sent.filter(({ effect }) => effect === "write");
  }

  #upstreams(): ToolContext["upstreams"] {
    const own = CONNECTORS.ofKind(this.site.platform)!;
    return {
      kindsOf: (check) =>
        CONNECTORS.kinds.filter((kind) =>
          CONNECTORS.diagnoses(kind).some(({ diagnosis }) => diagnosis.names.includes(check))
        ),
      diagnose: async (limitMs) =>
        (await Promise.all(
          CONNECTORS.diagnoses(this.site.platform).map(({ connector, diagnosis }) =>
            diagnosis.run(this.reach(connector), limitMs)
          ),
        )).flat(),
      canPing: () => own.ping !== undefined,
      ping: async () => await own.ping!(this.reach(own)),
    };
  }

  #open(name: string): { module: ToolModule; context: ToolContext } {
    const module = handlers.get(name);
    assert.ok(module, `there is a handler ${name}`);
    const clients = new Map<unknown, Promise<unknown>>();
    const context: ToolContext = {
      site: this.site,
      caller: {} as Caller,
      grant: GRANT,
      previews: { get: unasked, claim: unasked, forget: unasked },
      managed: { has: unasked, add: unasked },
      unseen: false,
      calls: { plan: unasked, run: unasked },
      forSite: unasked,
      sites: {
        list: () => Promise.resolve([this.site]),
        projects: () => Promise.resolve([{ id: "one", name: "One", created_at: "2026-01-01T00:00:00Z" }]),
        integrations: () => ({ crm: false, repo: true }),
        deployedFrom: unasked,
      },
      now: this.#now,
      use: <Client>(wanted: Connector<Client> | Capability<Client>) => {
        if (!clients.has(wanted)) clients.set(wanted, this.client(wanted));
        return clients.get(wanted) as Promise<Client>;
      },
      can: (wanted) => CONNECTORS.provider(this.site.platform, wanted) !== null,
      checkId: (id, field) => {
        if (id !== undefined) CONNECTORS.ofKind(this.site.platform)?.checkId?.(id, field);
      },
      upstreams: this.#upstreams(),
      snapshots: { list: unasked },
      annotate: (facts) => void Object.assign(this.facts, facts),
      progress: () => {},
      exclusively: (_, work) => work({ waited: false, renew: () => Promise.resolve(true) }),
      made: (one) => void this.made.push(one),
    };
    return { module, context };
  }
}

function unasked(): never {
  assert.fail("a tool of a CMS site asks for no preview branch, other site or live flag");
}

/** A world at a sandbox's site, signed in as one of its people. */
export function worldOf(
  cms: CmsSandbox,
  login: "admin" | "ed" | "auth" | "sub" = "admin",
  more: WorldOptions = {},
): World {
  return new World(cms.base_url, { as: cms.users[login], ...more });
}

/** ISO 8601 of a moment that many seconds from now. */
export function ahead(seconds: number): string {
  return new Date(Math.floor(Date.now() / 1000 + seconds) * 1000).toISOString().replace(".000Z", "Z");
}
