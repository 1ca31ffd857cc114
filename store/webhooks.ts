/** Webhooks, and what is on its way to them: a delivery is kept in the commit of what it tells of. */
import { LIMITS, type Webhook, type WebhookDelivery } from "../core/model.ts";
import type { Beside } from "./consent_types.ts";
import { AGAIN, checkSize, type Database, deleteListed, isId, untilSettled } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import type {
  DeliveryResult,
  NewDelivery,
  OpenedDelivery,
  OpenedWebhook,
  WebhookInput,
  WebhookPatch,
  WebhookStore,
} from "./webhook_types.ts";

/** What is sealed of a webhook. */
interface Secret {
  readonly url: string;
  readonly secret: string;
  /** The one before the last rotation. */
  readonly previous: string | null;
}

/** As KV keeps it. */
interface Kept extends Webhook {
  readonly sealed: Sealed;
}

/** A delivery as KV keeps it; its body is sealed. */
interface KeptDelivery extends Omit<WebhookDelivery, "id" | "next_at"> {
  readonly sites: readonly string[];
  readonly sealed: Sealed;
}

/** The value of `["webhooks_waiting", webhook, delivery]`. */
interface Waiting {
  readonly next_at: number;
  readonly sites: readonly string[];
}

const SECRET_BYTES = 32;
const recordKey = (id: string) => ["webhooks", id];
const deliveryKey = (webhook: string, id: string) => ["webhook_deliveries", webhook, id];
const waitingKey = (webhook: string, id: string) => ["webhooks_waiting", webhook, id];
const markKey = (kind: string, name: readonly string[]) => ["webhook_marks", kind, ...name];
const always = () => Promise.resolve(true);

/** A secret as Standard Webhooks writes a symmetric one: base64 behind `whsec_`. */
const newSecret = () => `whsec_${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`;

const plain = ({ sealed: _, ...webhook }: Kept): Webhook => webhook;
const isoOf = (ms: number) => new Date(ms).toISOString();

/** The WebhookStore of a database. */
export class Webhooks implements WebhookStore {
  constructor(private readonly db: Database, private readonly sealer: Sealer) {}

  async create({ url, ...input }: WebhookInput) {
    if ((await this.list()).length >= LIMITS.WEBHOOKS_MAX) return null;
    const id = this.db.newId();
    const key = recordKey(id);
    const secret = newSecret();
    const webhook: Webhook = {
      ...input,
      id,
      origin: new URL(url).origin,
      on: true,
      off: null,
      failing_since: null,
      left_out_at: null,
      created_at: this.db.timestamp(),
      rotated_until: null,
    };
    const kept: Kept = { ...webhook, sealed: await this.#seal(id, { url, secret, previous: null }) };
    checkSize(kept);
    await this.db.commit(this.db.kv.atomic().check({ key, versionstamp: null }).set(key, kept));
    return { webhook, secret };
  }

  async list(): Promise<Webhook[]> {
    const found: Webhook[] = [];
    for await (const { value } of this.db.kv.list<Kept>({ prefix: ["webhooks"] })) found.push(plain(value));
    return found;
  }

  async get(id: string): Promise<Webhook | null> {
    if (!isId(id)) return null;
    const { value } = await this.db.kv.get<Kept>(recordKey(id));
    return value && plain(value);
  }

  async open(id: string): Promise<OpenedWebhook | null> {
    if (!isId(id)) return null;
    const { value } = await this.db.kv.get<Kept>(recordKey(id));
    if (value === null) return null;
    const { url, secret, previous } = await this.#unseal(id, value.sealed);
    const { rotated_until } = value;
    const signs = previous !== null && rotated_until !== null && this.db.now() < Date.parse(rotated_until);
    return { ...plain(value), url, secrets: signs ? [secret, previous] : [secret] };
  }

  async update(
    id: string,
    { url, off, ...patch }: WebhookPatch,
    judge?: (stored: Webhook) => void,
  ): Promise<Webhook | null> {
    return await this.#change(id, async (kept) => {
      judge?.(plain(kept));
      const sealed = url === undefined
        ? kept.sealed
        : await this.#seal(id, { ...await this.#unseal(id, kept.sealed), url });
      const state = off === undefined
        ? {}
        : off === null
        ? { on: true, off, failing_since: null, left_out_at: null }
        : { on: false, off };
      const origin = url === undefined ? kept.origin : new URL(url).origin;
      return { ...kept, ...patch, ...state, origin, sealed };
    });
  }

  async rotate(id: string) {
    const secret = newSecret();
    const webhook = await this.#change(id, async (kept) => {
      const { url, secret: previous } = await this.#unseal(id, kept.sealed);
      const rotated_until = isoOf(this.db.now() + LIMITS.WEBHOOK_ROTATION_MS);
      return { ...kept, rotated_until, sealed: await this.#seal(id, { url, secret, previous }) };
    });
    return webhook && { webhook, secret };
  }

  async remove(id: string): Promise<Webhook | null> {
    const webhook = await this.get(id);
    if (webhook === null) return null;
    await this.db.commit(this.db.kv.atomic().delete(recordKey(id)));
    for (const kind of ["webhooks_waiting", "webhook_deliveries"]) {
      await deleteListed(this.db, [kind, id], () => true, always);
    }
    return webhook;
  }

  async queue(webhook_id: string, delivery: NewDelivery): Promise<Beside[]> {
    const most = LIMITS.WEBHOOK_WAITING_MAX;
    let waiting = 0;
    for await (const _ of this.db.kv.list({ prefix: ["webhooks_waiting", webhook_id] }, { limit: most })) {
      waiting++;
    }
    if (waiting >= most) {
      await this.#change(webhook_id, (kept) => ({ ...kept, left_out_at: this.db.timestamp() }));
      return [];
    }
    const id = this.#newDeliveryId();
    const now = this.db.now();
    const { sites } = delivery;
    return [
      await this.#delivery(webhook_id, id, this.#begun(delivery), delivery.body),
      { key: waitingKey(webhook_id, id), value: { next_at: now, sites }, expireIn: LIMITS.WEBHOOK_KEPT_MS },
    ];
  }

  async keep(webhook_id: string, delivery: NewDelivery): Promise<OpenedDelivery> {
    const id = this.#newDeliveryId();
    const begun = { ...this.#begun(delivery), state: "given_up" } as const;
    const { key, value, expireIn } = await this.#delivery(webhook_id, id, begun, delivery.body);
    await this.db.commit(this.db.kv.atomic().set([...key], value, { expireIn }));
    return { ...begun, id, next_at: null, body: delivery.body };
  }

  async due(now: number, of?: string) {
    const due = new Map<string, string[]>();
    let next: number | null = null;
    const prefix = ["webhooks_waiting", ...of === undefined ? [] : [of]];
    for await (const { key, value } of this.db.kv.list<Waiting>({ prefix })) {
      const [, webhook, id] = key as string[];
      if (!this.isDue(value.next_at, now)) next = Math.min(next ?? Infinity, value.next_at);
      else due.set(webhook!, [...due.get(webhook!) ?? [], id!]);
    }
    return { due, next };
  }

  isDue(next_at: number, now = this.db.now()): boolean {
    return next_at <= now || next_at - now > LIMITS.WEBHOOK_TRIED_MS;
  }

  async delivery(webhook_id: string, id: string): Promise<OpenedDelivery | null> {
    if (!isId(id)) return null;
    const key = deliveryKey(webhook_id, id);
    const [{ value }, waiting] = await this.db.kv.getMany<[KeptDelivery, Waiting]>([
      key,
      waitingKey(webhook_id, id),
    ]);
    if (value === null) return null;
    const { sealed, ...rest } = value;
    const body = await this.sealer.unseal(sealed, key);
    return { ...rest, id, next_at: waiting.value && isoOf(waiting.value.next_at), body };
  }

  async tried(webhook_id: string, id: string, result: DeliveryResult): Promise<WebhookDelivery | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<KeptDelivery>(deliveryKey(webhook_id, id));
      if (entry.value === null) return null;
      const { state, attempt, next_at } = result;
      const { value } = entry;
      const next: KeptDelivery = attempt === null ? { ...value, state } : {
        ...value,
        state,
        attempts: value.attempts + 1,
        first_at: value.first_at ?? attempt.at,
        last: attempt,
      };
      const waiting = waitingKey(webhook_id, id);
      const expireIn = LIMITS.WEBHOOK_KEPT_MS;
      const change = this.db.kv.atomic().check(entry).set(entry.key, next, { expireIn });
      if (next_at === null) change.delete(waiting);
      else change.set(waiting, { next_at, sites: value.sites }, { expireIn: LIMITS.WEBHOOK_KEPT_MS });
      if (!(await this.db.commit(change)).ok) return AGAIN;
      const { sealed: _, sites: __, ...told } = next;
      return { ...told, id, next_at: next_at === null ? null : isoOf(next_at) };
    });
  }

  async drop(webhook_id: string, id: string): Promise<void> {
    await this.db.commit(this.db.kv.atomic().delete(waitingKey(webhook_id, id)));
  }

  async deliveries(webhook_id: string): Promise<WebhookDelivery[]> {
    if (!isId(webhook_id)) return [];
    const next = new Map<string, number>();
    for await (
      const { key, value } of this.db.kv.list<Waiting>({ prefix: ["webhooks_waiting", webhook_id] })
    ) {
      next.set(String(key[2]), value.next_at);
    }
    const found: WebhookDelivery[] = [];
    for await (const { key, value } of this.#deliveriesOf(webhook_id)) {
      const { sealed: _, sites: __, ...told } = value;
      const id = String(key[2]);
      const next_at = next.get(id);
      found.push({ ...told, id, next_at: next_at === undefined ? null : isoOf(next_at) });
    }
    return found.reverse();
  }

  async trim(webhook_id: string): Promise<void> {
    const ended: string[] = [];
    for await (const { key, value } of this.#deliveriesOf(webhook_id)) {
      if (value.state !== "waiting") ended.push(String(key[2]));
    }
    const over = new Set(ended.slice(0, -LIMITS.WEBHOOK_DELIVERIES_KEPT));
    if (over.size === 0) return;
    await deleteListed(
      this.db,
      ["webhook_deliveries", webhook_id],
      ({ key }) => over.has(String(key[2])),
      always,
    );
  }

  async marks(kind: string): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const { key, value } of this.db.kv.list<string>({ prefix: ["webhook_marks", kind] })) {
      found.set(key.slice(2).join(" "), value);
    }
    return found;
  }

  async mark(kind: string, name: readonly string[], value: string | null, beside: readonly Beside[]) {
    const key = markKey(kind, name);
    const entry = await this.db.kv.get<string>(key);
    if (entry.value === value) return false;
    const change = this.db.kv.atomic().check(entry);
    if (value === null) change.delete(key);
    else change.set(key, value);
    for (const one of beside) change.set([...one.key], one.value, { expireIn: one.expireIn });
    return (await this.db.commit(change)).ok;
  }

  async unmark(kind: string): Promise<void> {
    await deleteListed(this.db, ["webhook_marks", kind], () => true, always);
  }

  #deliveriesOf(webhook_id: string) {
    return this.db.kv.list<KeptDelivery>({ prefix: ["webhook_deliveries", webhook_id] }, { batchSize: 100 });
  }

  #newDeliveryId(): string {
    return `msg_${this.db.newId()}`;
  }

  #begun({ type, sites }: NewDelivery): Omit<KeptDelivery, "sealed"> {
    return {
      type,
      sites,
      at: this.db.timestamp(),
      state: "waiting",
      attempts: 0,
      first_at: null,
      last: null,
    };
  }

  async #delivery(
    webhook: string,
    id: string,
    begun: Omit<KeptDelivery, "sealed">,
    body: string,
  ): Promise<Beside> {
    const key = deliveryKey(webhook, id);
    const value: KeptDelivery = { ...begun, sealed: await this.sealer.seal(body, key) };
    return { key, value, expireIn: LIMITS.WEBHOOK_KEPT_MS };
  }

  async #change(id: string, patch: (kept: Kept) => Kept | Promise<Kept>): Promise<Webhook | null> {
    if (!isId(id)) return null;
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Kept>(recordKey(id));
      if (entry.value === null) return null;
      const next = await patch(entry.value);
      checkSize(next);
      const { ok } = await this.db.commit(this.db.kv.atomic().check(entry).set(entry.key, next));
      return ok ? plain(next) : AGAIN;
    });
  }

  async #seal(id: string, secret: Secret): Promise<Sealed> {
    return await this.sealer.seal(JSON.stringify(secret), recordKey(id));
  }

  async #unseal(id: string, sealed: Sealed): Promise<Secret> {
    return JSON.parse(await this.sealer.unseal(sealed, recordKey(id))) as Secret;
  }
}
