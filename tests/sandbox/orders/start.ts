/** A stand-in for a made-up order service: orders are listed and made with a key, and have a state. */
import { Hono } from "hono";
import { json } from "../../../sandbox/core/answers.ts";
import type { CommonFault } from "../../../sandbox/core/faults.ts";
import type { RecordedRequest } from "../../../sandbox/core/recorder.ts";
import { type Service, startService } from "../../../sandbox/core/service.ts";
import type { StandInOptions } from "../../../sandbox/core/vendor.ts";

/** The faults every stand-in knows, and one of this vendor's own: the key is said to have expired. */
export type OrdersFault = CommonFault | { readonly kind: "expired" };

/** A running stand-in. */
export interface OrdersStandIn extends Service<RecordedRequest, OrdersFault> {
  readonly api_key: string;
  /** By id; a change here is a change made at the vendor's. */
  readonly orders: Map<string, { readonly title: string }>;
}

/** Starts a stand-in on a free port of 127.0.0.1. */
export function startOrders(options: StandInOptions = {}): OrdersStandIn {
  const api_key = `key-${crypto.randomUUID()}`;
  const orders: OrdersStandIn["orders"] = new Map();
  const app = new Hono();
  app.use(async (c, next) => {
    if (c.req.header("x-api-key") !== api_key) return json({ error: "Unknown key" }, 401);
    await next();
  });
  app.get("/orders", () => json([...orders].map(([id, order]) => ({ id, ...order }))));
  app.post("/orders", async (c) => {
    const id = String(orders.size + 1);
    orders.set(id, await c.req.json());
    return json({ id }, 201);
  });
  app.notFound(() => json({ error: "No such route" }, 404));
  const service = startService<RecordedRequest, OrdersFault>(options, {
    handle: ({ request }) => app.fetch(request),
    replace: ({ kind }) => kind === "expired" ? json({ error: "The key has expired" }, 401) : undefined,
    busy: ({ retry_after = 1 }) => json({ error: "Slow down" }, 429, { "x-wait": String(retry_after) }),
  });
  return Object.assign(service, { api_key, orders });
}
