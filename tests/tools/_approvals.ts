/** A world in which agents ask people: a token whose writes a person approves, and people who may. */
import assert from "node:assert/strict";
import type { ShownApproval } from "../../registry/approval_reports.ts";
import type { Spending, UserInput } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import type { KitOptions } from "../kit.ts";
import { operator, signedIn } from "../people/kit.ts";
import { type World, world } from "./_stand_in.ts";

/** What a write that waits for a person answers. */
export interface Asked {
  readonly needs_confirmation: true;
  readonly confirm_token: string;
  readonly expires_at: string;
  readonly next: string;
  readonly revision: string | null;
  readonly approval: { readonly id: string; readonly url: string; readonly expires_at: string };
}

/** What the admin API answers about a request, or what it refuses with. */
export interface Decided {
  readonly status: number;
  readonly result: ShownApproval & { readonly state?: string; readonly decided?: { readonly by: string } };
  readonly error?: { readonly code: string; readonly message: string };
}

/** The token `asks` writes only what a person approves. */
export const asking = (options: KitOptions = {}) =>
  world({ ...options, tokens: { asks: { confirm_policy: "human", max_risk: 3 }, ...options.tokens } });

/** The edit that these tests ask for. */
export const edit = (at: World, more: Args = {}): Args => ({
  ...{ site_id: "open", post_id: at.draft.id, title: "From an agent" },
  ...more,
});

/** Asks for a write. */
export const ask = (at: World, args: Args = edit(at), tool = "update_draft", as = "asks") =>
  at.kit.gw.call<Asked>(tool, args, { as });

/** The agent's own confirm. */
export const confirm = (at: World, asked: Asked, args: Args = edit(at), tool = "update_draft") =>
  at.kit.gw.end(tool, { ...args, confirm: true, confirm_token: asked.confirm_token }, { as: "asks" });

/** Who decides: a browser in which a person has signed in, or the master token. */
export interface Decider {
  show(id: string): Promise<Decided>;
  approve(id: string, shown?: string, without?: readonly number[]): Promise<Decided>;
  reject(id: string, words?: string): Promise<Decided>;
  edit(id: string, texts: Args): Promise<Decided & { readonly result: ShownApproval["approval"] }>;
}

function decider(
  call: (method: string, path: string, body?: object) => Promise<Decided>,
): Decider {
  const show = (id: string) => call("GET", `approvals/${id}`);
  return {
    show,
    async approve(id, shown, without) {
      const seen = shown ?? (await show(id)).result?.preview?.shown ?? "new.0";
      const choice = without === undefined ? {} : { without };
      return await call("POST", `approvals/${id}/approve`, { shown: seen, ...choice });
    },
    reject: (id, words) => call("POST", `approvals/${id}/reject`, words === undefined ? {} : { words }),
    edit: async (id, texts) =>
      await call("POST", `approvals/${id}/edit`, { texts }) as Awaited<ReturnType<Decider["edit"]>>,
  };
}

/** The master token. */
export const master = (at: World): Decider =>
  decider(async (method, path, body) => await operator(at.kit.gw, method, path, body) as Decided);

/** A person who may approve everywhere, where nothing else is said. */
export async function approver(at: World, email = "bea@agency.example", grants: UserInput = {}) {
  const { user, browser } = await signedIn(at.kit.gw, email, { approve_sites: ["*"], ...grants });
  const call = async (method: string, path: string, body?: object) =>
    await browser.api(method, path, body) as Decided;
  return { user, browser, ...decider(call) };
}

/** Fails unless it was refused so, and nothing was written meanwhile. */
export function refused({ error }: Decided, code: string, says: RegExp): void {
  assert.equal(error?.code, code, JSON.stringify(error));
  assert.match(error!.message, says);
}

/** The record that carrying a request out spends, as a process that was killed has left it. */
export async function cutOff(at: World, { approval: { id }, confirm_token: name }: Asked, hasBegun: boolean) {
  const { consents, approvals, audit } = at.kit.gw.store;
  const found = (await consents.find(name))!;
  const run = { request_id: "01M7YRRT80M56J0VS44FYMMFQ9", deadline: at.kit.gw.clock.now - 1000 };
  const spending: Spending = {
    ...{ name, found, content: found.content, expires_at: found.expires_at, frees_until: found.expires_at },
  };
  assert.equal(await consents.spend([spending], run), true);
  if (!hasBegun) return;
  const decided = { by: "bea@agency.example", user_id: null };
  const [row] = await at.kit.gw.audit();
  const intent = { ...row!, id: run.request_id, request_id: run.request_id, status: "started" } as const;
  const begun = await approvals.begun((await approvals.find(id))!, decided, run.request_id);
  await audit.append(intent, [...await consents.begin(spending, run), ...begun]);
}
