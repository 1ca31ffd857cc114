/** Calls with their traces looked at, a kit whose sites stand at one CMS, each signed in as another of its people, and one call of every tool. */
import assert from "node:assert/strict";
import type { Code } from "../core/errors.ts";
import { type AuditRow, type AuditStatus, type Door, LIMITS, type Tier } from "../core/model.ts";
import type { CmsSandbox, CmsUser } from "../sandbox/wordpress/start.ts";
import type { NewSite } from "../store/store.ts";
import { gateway, type Kit, type KitOptions, site } from "./kit.ts";
import { parted, type Proof } from "./proof.ts";

export type Args = Record<string, unknown>;
export const DOORS = ["rest", "mcp"] as const;

/** An image of one pixel, in base64. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The same image as another file for each mark: what stands behind the end of one is no part of it. */
export function freshPng(mark: string = crypto.randomUUID()): string {
  const more = new TextEncoder().encode(mark);
  return new Uint8Array([...Uint8Array.fromBase64(PNG), ...more]).toBase64();
}

/** The result of a post's write. */
export interface Row {
  readonly id: number;
  readonly status: string;
  readonly url: string;
}

/** A write's answer while it is not confirmed. */
export interface Preview {
  readonly needs_confirmation: true;
  readonly tool: string;
  readonly site_id: string;
  readonly tier: Tier;
  readonly summary: string;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  readonly revision: string | null;
  readonly confirm_token: string;
  readonly warnings: readonly string[];
  /** Of a change set. */
  readonly items?: readonly Readonly<Record<string, unknown>>[];
}

/** A preview without what is another's each time: its token, and until when that holds. */
export function lasting<P extends { readonly confirm_token: string }>(preview: P) {
  const { confirm_token: _, expires_at: __, next: ___, ...rest } = preview as P & Record<string, unknown>;
  return rest;
}

/**
 * The sites: "acme" may not publish, "open" may, both as an administrator; "editor", "author" and "subscriber" as
 * such; "wrong" with a password that is not accepted, "bare" with none; and one of each other platform.
 */
export function sitesOf({ base_url, users }: Pick<CmsSandbox, "base_url" | "users">): NewSite[] {
  const flags = { allow_publish: true };
  const at = (id: string, user: CmsUser, more: Partial<NewSite> = {}) => {
    const { username, application_password } = user;
    return site(id, "cms", { base_url, credentials: { cms: { username, application_password } }, ...more });
  };
  return [
    at("acme", users.admin),
    at("open", users.admin, { flags }),
    at("editor", users.ed, { flags }),
    at("author", users.auth, { flags }),
    at("subscriber", users.sub, { flags }),
    at("wrong", { ...users.admin, application_password: "abcd efgh ijkl mnop qrst uvwx" }, { flags }),
    at("bare", users.admin, { flags, credentials: {} }),
    site("builder", "sitebuilder", { flags }),
    site("files", "static", { flags }),
    site("client", "crm", { flags }),
  ];
}

/** ISO 8601 of a moment that many seconds after another, in whole seconds. */
export function ahead(seconds: number, from = Date.now()): string {
  return new Date(Math.floor(from / 1000 + seconds) * 1000).toISOString().replace(".000Z", "Z");
}

/** One call of every tool of the groups discovery and posts that goes well on an open cms site. */
export function callsOf({ draft, scheduled, at }: { draft: number; scheduled: number; at: string }) {
  return {
    list_sites: {},
    list_projects: {},
    get_site: {},
    ping_site: {},
    diagnose_site: {},
    list_builders_for_site: {},
    list_cms_users: {},
    get_post: { post_id: draft },
    list_drafts: {},
    list_content: { type: "post" },
    create_draft: { title: "Made", content_html: "<p>Text</p>", tags: ["New tag"] },
    update_draft: { post_id: draft, title: "Changed" },
    schedule_draft: { post_id: draft, scheduled_at: at },
    unschedule: { post_id: scheduled },
    upload_media: { filename: "a.png", content_base64: PNG },
    list_taxonomies: { taxonomy: "tag" },
    create_taxonomy: { taxonomy: "tag", name: "New tag" },
    publish_post: { post_id: draft },
    revise_published: { post_id: 1, title: "Revised" },
  } as const satisfies Record<string, Args>;
}
export type ToolName = keyof ReturnType<typeof callsOf>;

/** The tools that need no site, and those that answer from the gateway's own records whatever the site says. */
export const WITHOUT_SITE: readonly ToolName[] = ["list_sites", "list_projects"];
export const FROM_RECORDS: readonly ToolName[] = ["get_site", "list_builders_for_site"];

/** What may have left on a refused call: nothing, reads alone, or whatever it was. */
export type Sends = "nothing" | "reads" | "anything";

/** What is expected of a refusal. */
export interface Refusal {
  readonly says: RegExp;
  /** Default nothing. */
  readonly sends?: Sends;
  readonly audit?: AuditStatus;
  readonly as?: string;
}

/** A refused call: its arguments, what the message says, and the code where that is not E_BAD_INPUT. */
export type RefusedRow = readonly [args: Args, says: RegExp, code?: Code];

/** Refused calls by tool. */
export type Refused = Readonly<Record<string, readonly RefusedRow[]>>;

/** The calls of such a table, one after the other. */
export function refusedCalls(table: Refused): [tool: string, args: Args, says: RegExp, code: Code][] {
  return Object.entries(table).flatMap(([tool, rows]) =>
    rows.map(([args, says, code = "E_BAD_INPUT"]): [string, Args, RegExp, Code] => [tool, args, says, code])
  );
}

/** Both doors answer the same; but MCP shortens what is longer than an agent can hold, and says so. */
export function assertAlike(mcp: unknown, rest: unknown, tool: string): void {
  const isLong = JSON.stringify(rest).length > LIMITS.ANSWER_CHARACTERS - 1000;
  if (isLong && typeof mcp === "object" && mcp !== null && "shortened" in mcp) return;
  assert.deepEqual(mcp, rest, `${tool}: alike`);
}

/** Calls of a gateway, each with its traces looked at; what differs from upstream to upstream is left to its own world. */
export abstract class Calls implements AsyncDisposable {
  constructor(readonly gw: Kit) {}

  /** What no message of a refusal holds, beside a full stop at its end: the upstream's secrets. */
  protected abstract readonly secrets: RegExp;

  /** What was written at the upstream so far, in a form to compare. */
  protected abstract written(): unknown;

  /** The arguments of a call that is given without what is the same for all. */
  protected filled(args: Args): Args {
    return args;
  }

  abstract [Symbol.asyncDispose](): Promise<void>;

  /** Fails where the work wrote at the upstream; answers what the work did. */
  async quietly<T>(work: () => Promise<T>): Promise<T> {
    const before = await this.written();
    const done = await work();
    assert.deepEqual(await this.written(), before, "nothing is written");
    return done;
  }

  /** The answer of a read, the same through both doors, nothing written, each audited as ok. */
  async both<T = Args>(tool: string, args: Args = {}, as?: string): Promise<T> {
    const call = this.filled(args);
    const rest = await this.quietly(async () => {
      const said = await this.gw.call<T>(tool, call, { door: "rest", as });
      assertAlike(await this.gw.call(tool, call, { door: "mcp", as }), said, tool);
      return said;
    });
    for (const row of await this.rows(2)) {
      assert.deepEqual([row.tool, row.tier, row.status, row.error], [tool, 0, "ok", null]);
      assert.equal(row.site_id, call["site_id"] ?? null);
    }
    return rest;
  }

  /** The preview, the same through both doors, nothing written. */
  async preview(tool: string, args: Args, as?: string): Promise<Preview> {
    const rest = await this.quietly(async () => {
      const said = await this.gw.call<Preview>(tool, args, { door: "rest", as });
      const mcp = await this.gw.call<Preview>(tool, { ...args, confirm: false }, { door: "mcp", as });
      assert.deepEqual(lasting(mcp), lasting(said), `${tool}: both doors preview alike`);
      return said;
    });
    assert.deepEqual([rest.needs_confirmation, rest.tool, rest.site_id], [true, tool, args["site_id"]]);
    for (const row of await this.rows(2)) {
      assert.deepEqual([row.tool, row.tier, row.status], [tool, rest.tier, "needs_confirmation"]);
    }
    return rest;
  }

  /** A confirmed write through one door: its result, what it proved, and its audit row. */
  async write<T = Args>(
    door: Door,
    tool: string,
    args: Args,
    as?: string,
  ): Promise<{ done: T; proof: Proof; row: AuditRow }> {
    const { done, proof } = parted<T>(await this.gw.call(tool, { ...args, confirm: true }, { door, as }));
    const [row] = await this.rows(1);
    assert.ok(row);
    assert.equal(proof.request_id, row.request_id);
    const found = [row.tool, row.door, row.status, row.error, row.site_id];
    assert.deepEqual(found, [tool, door, "ok", null, args["site_id"]]);
    return { done, proof, row };
  }

  /** Asserts the code through both doors, what the message says, what left, and the audit; answers the message. */
  async refuses(
    tool: string,
    args: Args,
    code: Code,
    expected: RegExp | Refusal,
    leaves: Sends = "nothing",
  ): Promise<string> {
    const refusal: Refusal = expected instanceof RegExp ? { says: expected, sends: leaves } : expected;
    const { says, sends = "nothing", audit = "error", as } = refusal;
    const before = this.gw.requests.length;
    const call = () => this.gw.refuses(tool, this.filled(args), code, says, { as });
    const message = sends === "anything" ? await call() : await this.quietly(call);
    assert.doesNotMatch(message, /\.$/, "a sentence");
    assert.doesNotMatch(message, this.secrets, "no secret is told");
    if (sends === "nothing") assert.deepEqual(this.gw.requests.slice(before), [], `${tool} sends nothing`);
    const rows = await this.rows(2);
    assert.deepEqual(rows.map(({ door }) => door), ["mcp", "rest"]);
    for (const row of rows) assert.deepEqual([row.tool, row.status, row.error], [tool, audit, code]);
    return message;
  }

  /** The newest audit rows. */
  async rows(count: number): Promise<AuditRow[]> {
    return (await this.gw.store.audit.list({}, { limit: count })).rows;
  }
}

const isRead = ({ method }: { method: string }) => method === "GET" || method === "HEAD";

/** Calls at sites of one CMS. */
export class CmsKit<Cms extends CmsSandbox = CmsSandbox> extends Calls {
  protected readonly secrets = /<[a-z/!]|application_password|Basic /i;

  constructor(gw: Kit, readonly cms: Cms) {
    super(gw);
  }

  static async open<Cms extends CmsSandbox>(cms: Cms, options: KitOptions = {}): Promise<CmsKit<Cms>> {
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      ...options,
      sites: [...sitesOf(cms), ...options.sites ?? []],
      http: { sleep: () => Promise.resolve(), ...options.http },
    });
    return new CmsKit(gw, cms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
  }

  /** Requests of the gateway so far that could change something. */
  get writes(): number {
    return this.gw.requests.filter((sent) => !isRead(sent)).length;
  }

  protected override written(): number {
    return this.writes;
  }

  /** As every world's; the result of a post's write unless another is named. */
  override async write<T = Row>(door: Door, tool: string, args: Args, as?: string) {
    return await super.write<T>(door, tool, args, as);
  }
}
