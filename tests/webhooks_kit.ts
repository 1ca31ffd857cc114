/** Receivers of webhooks in tests: what came, as they were answered, and a gateway that sends there. */
import assert from "node:assert/strict";
import { abortable } from "../core/async.ts";
import { type Webhook as Hook, WEBHOOK_EVENTS, type WebhookDelivery } from "../core/model.ts";
import { type Happening, telling as tellingOf } from "../guard/webhooks/tell.ts";
import type { WebhookInput } from "../store/store.ts";
import { gateway, type Kit, type KitOptions } from "./kit.ts";
import { Webhook } from "./packages/standard_webhooks.ts";
import { operator } from "./people/kit.ts";

/** A public address, which every name of these tests resolves to. */
export const PUBLIC = "93.184.215.14";

/** What came to a receiver. */
export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

/** Receivers at any address: all that came, and how the next are answered. */
export class Receivers {
  readonly all: Received[] = [];
  /** Answers what comes; 200 where it is left alone. */
  answer: (received: Received) => Response | Promise<Response> = () => new Response("ok");

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const body = await request.text();
    const headers = Object.fromEntries(request.headers);
    const received = { url: request.url, headers, body, json: JSON.parse(body) };
    this.all.push(received);
    return await abortable(Promise.resolve(this.answer(received)), request.signal);
  };

  /** What came last. */
  get last(): Received {
    const last = this.all.at(-1);
    assert.ok(last, "something came");
    return last;
  }
}

/** A gateway whose webhooks arrive at `receivers`. */
export async function telling(options: KitOptions = {}) {
  const receivers = new Receivers();
  const gw = await gateway({
    fetch: receivers.fetch,
    start: Date.now(), // the library judges times by the real clock
    ...options,
    http: { lookup: () => Promise.resolve([PUBLIC]), sleep: () => Promise.resolve(), ...options.http },
  });
  return { gw, receivers, [Symbol.asyncDispose]: () => gw[Symbol.asyncDispose]() };
}

/** A webhook that is set up as the operator does it. */
export async function hooked(gw: Pick<Kit, "http">, more: Partial<WebhookInput> = {}) {
  const body = { name: "Ours", url: "https://hooks.example/in", project_id: null, ...more };
  const { result, error } = await operator(gw, "POST", "webhooks", body);
  assert.equal(error, undefined);
  return result as { readonly webhook: Hook; readonly secret: string };
}

/** What was sent to a webhook, newest first, and how that does. */
export async function sentTo(gw: Pick<Kit, "http">, id: string) {
  const { result } = await operator(gw, "GET", `webhooks/${id}/deliveries`);
  return result as { readonly webhook: Hook; readonly deliveries: readonly WebhookDelivery[] };
}

/** What the specification's library makes of it; throws where it is not signed with that secret. */
export const verified = (secret: string, { body, headers }: Pick<Received, "body" | "headers">): unknown =>
  new Webhook(secret).verify(body, { ...headers });

/** Something that happens on those sites. */
export const happening = (sites: readonly string[], type: Happening["type"] = "set.ended"): Happening => ({
  type,
  sites,
  data: (own) => ({ summary: `It happened on ${own.map(({ id }) => id)}`, path: "/admin", more: { n: 1 } }),
});

/** Has it told and kept, as a call does with its row. */
export async function happens(gw: Kit, sites: readonly string[], type?: Happening["type"]): Promise<number> {
  const { store } = gw;
  const ports = { store, baseUrl: "https://gateway.example", now: () => gw.clock.now, log: () => {} };
  const { tell } = tellingOf({ ...ports, titleOf: (tool) => tool });
  const beside = await tell(happening(sites, type));
  for (const [n, one] of beside.entries()) await store.webhooks.mark("test", [String(n)], null, [one]);
  if (beside.length > 0) assert.ok(await store.webhooks.mark("test", [crypto.randomUUID()], "x", beside));
  return beside.length;
}

/** One round of the clock. */
export const run = (gw: Kit) => gw.gateway.webhooks.run();
/** How its deliveries stand, newest first. */
export const states = async (gw: Kit, id: string) =>
  (await sentTo(gw, id)).deliveries.map(({ state }) => state);

/** A webhook that is told of everything, at an address that an operator would have to list first. */
export async function listening(gw: Pick<Kit, "store">, url: string, more: Partial<WebhookInput> = {}) {
  const all = { name: "Ours", project_id: null, format: "standard", events: WEBHOOK_EVENTS } as const;
  const made = await gw.store.webhooks.create({ ...all, url, ...more });
  assert.ok(made);
  return made;
}

/** A receiver on this machine, for worlds whose gateways really send: its address, and what came. */
export function receiving() {
  const receivers = new Receivers();
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const server = Deno.serve(options, (request) => receivers.fetch(request));
  return {
    url: `http://127.0.0.1:${server.addr.port}/in`,
    receivers,
    /** What came since the last time, as events, in the order of their ids. */
    events: () => receivers.all.splice(0).map(({ json }) => json),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
