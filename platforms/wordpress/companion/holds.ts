/** The companion plugin's hold: whether it is there and proven, its receipts, and how the gateway is paired with it. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import {
  HELD_EFFECTS,
  HELD_METHOD,
  type HeldEffects,
  heldOf,
  HOLD_HEADER,
  holdId,
  type HoldsClient,
  type HoldState,
  type PairedKey,
  type Receipt,
  ROLLED_BACK,
  said,
  WHY_CHARACTERS,
} from "../../_content/holds.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import { excerptOf } from "../../_content/excerpt.ts";
import { LIMITS } from "../../../core/model.ts";
import type { Outgoing, PublishGrant } from "../../_http/request.ts";
import { CmsError } from "../errors.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { signatureOf } from "./hold_signature.ts";
import { COMPANION, type CompanionHealth, findReport, isOlder } from "./plugin.ts";

/** What the site said of its hold is asked again after that time. */
const REPORT_MS = 10_000;
/** A site without a hold need not be asked before every write: it gets none by itself. */
const ABSENT_MS = 60_000;
/** How long a self-test counts, where the version stays the same. */
const PROVEN_MS = 24 * 3_600_000;
const FAILED_MS = 60_000;
const POLL_MS = 500;
const POLLS_MAX = 100;
/** The plugin before that gives an account one key: a further gateway that pairs takes it from the one that has it. */
const SEVERAL_GATEWAYS = "1.3.0";

const PAIRED = z.object({
  key_id: z.string().regex(/^[0-9a-f]{16}$/),
  key: z.string().regex(/^[0-9a-f]{64}$/),
});
const RECEIPT = z.union([
  HELD_EFFECTS.extend({ id: z.string(), outcome: z.literal("committed") }),
  z.object({ id: z.string(), outcome: z.literal("running") }),
]);
const TESTED = z.object({ hold: ROLLED_BACK });
const REFUSED = z.object({ code: said(WHY_CHARACTERS).catch(""), message: said(WHY_CHARACTERS).catch("") });
const SETBACKS = `${COMPANION}/setbacks`;
/** Effects are told in full. */
const LARGE = { max_bytes: LIMITS.HELD_BYTES };
const MADE = z.object({ post_id: z.number().int().positive() });
const EXISTS = z.object({ exists: z.boolean() });

/** The hold of a site. */
export const holdsOf = (ctx: SiteContext): HoldsClient => new Holds(ctx);

class Holds implements HoldsClient {
  readonly #wire: WordPressClient;

  constructor(private readonly ctx: SiteContext) {
    this.#wire = new WordPressClient(ctx);
  }

  async state(): Promise<HoldState> {
    const { cache } = this.ctx;
    const known = cache.get<HoldState>("no hold");
    if (known !== undefined) return known;
    const key = await this.#key();
    const sign = key === null ? undefined : (out: Outgoing) => signatureOf(key, out, this.ctx.now());
    const asked = cache.once("hold report", REPORT_MS, () => findReport(this.#wire, sign));
    const report = await asked.catch((thrown) => unasked(thrown, key));
    const found = judged(report, key, this.ctx.site.id);
    if (found.ready) return await this.#proven(found);
    // What a pairing would change is asked again at once.
    if (!found.may_pair) cache.set("no hold", found, ABSENT_MS);
    else cache.drop("hold report");
    return found;
  }

  /** A plugin of that version has shown that a dry run of it leaves nothing behind. */
  async #proven(ready: HoldState & { ready: true }): Promise<HoldState> {
    const { cache } = this.ctx;
    const key = (await this.#key())?.key_id;
    const name = `hold proven ${ready.version} ${key}`;
    if (cache.get<true>(name)) return ready;
    const failed = `hold failed ${ready.version} ${key}`;
    const before = cache.get<string>(failed);
    const why = before ?? await this.#test();
    if (why === null) {
      cache.set(name, true, PROVEN_MS);
      return ready;
    }
    cache.set(failed, why, FAILED_MS);
    return { ready: false, why: `its self-test failed: ${why}`, may_pair: false };
  }

  /** Why the self-test failed; null where it did not. */
  async #test(): Promise<string | null> {
    const id = holdId();
    try {
      const dry = { [HOLD_HEADER]: `dry; id=${id}` };
      const out = { method: "POST", effect: "read", once: true, headers: dry, json: {} } as const;
      const { data: { hold }, headers } = await this.#signed(`${COMPANION}/hold-test`, out, TESTED);
      const held = heldOf(headers);
      if (held?.outcome !== "rolled_back" || held.id !== id || hold.id !== id) {
        return "the answer does not say that it was rolled back";
      }
      if (!hold.effects.some(({ label, change }) => label === "draft" && change === "made")) {
        return "the draft that it makes is not among its effects";
      }
      const made = MADE.safeParse(hold.answer?.body);
      if (!made.success) return "it does not name the draft that it made";
      const path = `${COMPANION}/hold-test/${made.data.post_id}`;
      const { data } = await this.#wire.get(path, {}, EXISTS);
      return data.exists ? "what it made is there after it was rolled back" : null;
    } catch (thrown) {
      // Asked too often, the site has said nothing of its hold.
      const isTold = thrown instanceof CmsError && thrown.upstream !== 429 &&
        (thrown.definite || thrown.reason === "site_ops_hold_unsupported");
      if (!isTold) throw thrown;
      return thrown.message;
    }
  }

  async settle(id: string): Promise<Receipt> {
    for (let polls = 0;; polls++) {
      let left = polls > 0 ? POLL_MS : 0;
      const turn = () => {
        const wait = left;
        left = 0;
        return wait;
      };
      try {
        const out = { method: "GET", effect: "read", cleanup: true, turn } as const;
        const { data } = await this.#signed(`${COMPANION}/holds/${id}`, out, RECEIPT, { setback: "true" });
        if (data.id !== id) throw this.#odd("it is about another call");
        if (data.outcome === "committed") return data;
        if (polls >= POLLS_MAX || this.ctx.now() >= this.ctx.deadline) throw this.#odd("it still runs");
      } catch (thrown) {
        if (thrown instanceof CmsError && thrown.reason === "site_ops_hold_not_found") {
          return { outcome: "none" };
        }
        throw thrown;
      }
    }
  }

  forget(): void {
    this.ctx.cache.drop("hold report");
  }

  async rehearseSetback(image: string): Promise<{ id: string; held: HeldEffects }> {
    const id = holdId();
    const headers = { [HOLD_HEADER]: `dry; id=${id}` };
    const out = { method: "POST", effect: "read", once: true, headers, json: { image }, ...LARGE } as const;
    const answer = await this.#signed(SETBACKS, out, TESTED);
    const { hold } = answer.data;
    const said = heldOf(answer.headers);
    if (said?.outcome !== "rolled_back" || said.id !== id || hold.id !== id) {
      throw this.#odd("it was not held");
    }
    if (hold.answer !== null && hold.answer.status >= 400) throw refusedSetback(hold.answer);
    if (hold.why !== "") throw this.#odd("it was taken back for another reason", hold.why);
    return { id, held: hold };
  }

  async setBack(
    image: string,
    { expect, grant }: { readonly expect: string; readonly grant?: PublishGrant | undefined },
  ): Promise<{ id: string; held: HeldEffects | null }> {
    const id = holdId();
    const allow = `draft${grant === undefined ? "" : ",live,structure,site,settings"},own`;
    const headers = { [HOLD_HEADER]: `hold; id=${id}; allow=${allow}; expect=${expect}` };
    const out = { method: "POST", effect: "write", headers, json: { image }, grant, ...LARGE } as const;
    let failure: unknown = null;
    try {
      const answer = await this.#signed(SETBACKS, out, z.unknown());
      const said = heldOf(answer.headers);
      if (said?.outcome !== "committed" || said.id !== id) failure = this.#odd("its answer does not say it");
    } catch (thrown) {
      if (thrown instanceof CmsError && thrown.definite) throw takenBack(thrown);
      failure = thrown;
    }
    const receipt = await this.settle(id).catch((thrown) => failure === null ? null : Promise.reject(thrown));
    if (receipt?.outcome === "none") {
      if (failure instanceof GatewayError) {
        throw Object.assign(failure.saying(failure.message), { outcome: "none" });
      }
      throw failure;
    }
    return { id, held: receipt };
  }

  async acknowledge(id: string): Promise<void> {
    const out = { method: "POST", effect: "write", json: {} } as const;
    await this.#signed(`${COMPANION}/holds/${id}/acknowledged`, out, z.unknown());
  }

  async #signed<T>(
    route: string,
    out: Omit<Outgoing, "url">,
    schema: z.ZodType<T>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<{ data: T; headers: Headers }> {
    const key = await this.#key();
    if (key === null) throw new GatewayError("E_INTERNAL", `Site "${this.ctx.site.id}" is not paired`);
    const sign = (whole: Outgoing) => signatureOf(key, whole, this.ctx.now());
    return await this.#wire.ask(route, out, schema, sign, query);
  }

  /** null where the site was never paired. */
  async #key(): Promise<PairedKey | null> {
    try {
      return await this.ctx.secret("companion");
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === "E_MISSING_SECRET") return null;
      throw thrown;
    }
  }

  #odd(why: string, said = ""): GatewayError {
    const message = `What became of the held call cannot be told: ${why}`;
    return new GatewayError("E_UPSTREAM", message, { upstream: 502, ...excerptOf(said) });
  }
}

/** A site that does not write an image back. */
function refusedSetback({ status, body }: { readonly status: number; readonly body: unknown }): GatewayError {
  const { code, message } = REFUSED.parse(body);
  if (code === "rest_no_route") {
    return setbackError(
      "E_FORBIDDEN_OP",
      "the companion plugin is older than 1.5.0, which sets nothing back; update it",
    );
  }
  const said = { upstream: status, ...excerptOf(message) };
  return code === "site_ops_stale"
    ? setbackError("E_STALE_PREVIEW", "what stands there is not as that call left it", said)
    : setbackError("E_FORBIDDEN_OP", SETBACK_WHY[code] ?? "it refuses what was to be written", said);
}

/** Why a site does not write an image back, by the plugin's code. */
const SETBACK_WHY: Readonly<Record<string, string>> = {
  site_ops_setback_unknown: "it did not make that image, or its keys were changed since",
  site_ops_not_allowed: "its account may not change that",
  site_ops_busy: "its database did not take what stood there",
};

const setbackError = (
  code: "E_STALE_PREVIEW" | "E_FORBIDDEN_OP",
  why: string,
  said: { readonly upstream?: number; readonly excerpt?: string } = {},
) =>
  new GatewayError(code, `The site does not set it back: ${why}; nothing was changed`, {
    outcome: "none",
    ...said,
  });

/** What was not kept: somebody changed the site after the dry run, or the site refused the call. */
const takenBack = (thrown: CmsError) =>
  thrown.reason === "site_ops_held"
    ? setbackError("E_STALE_PREVIEW", "it would not do any more what was shown")
    : thrown;

/** Of a site that was never paired it does not matter why it does not answer. */
function unasked(thrown: unknown, key: PairedKey | null): string {
  if (!(thrown instanceof GatewayError) || key !== null) throw thrown;
  return `it could not be asked: ${thrown.message}`;
}

/** What the report says of the hold to the gateway that has this key. */
function judged(report: CompanionHealth | string | null, key: PairedKey | null, id: string): HoldState {
  const none = (why: string, may_pair = false): HoldState => ({ ready: false, why, may_pair });
  if (report === null) return none("no companion plugin");
  if (typeof report === "string") return none(report);
  const { features: { hold }, plugin_version, user } = report;
  if (hold === null) {
    return none(`the companion plugin ${JSON.stringify(plugin_version.slice(0, 40))} is too old for it`);
  }
  const way = `run deno task admin site pair ${id}`;
  // No pairing helps such a site, as one of a network.
  if (hold.engine === null) return none(hold.why ?? "the site does not say why");
  if (key === null) {
    if (hold.paired && isOlder(hold.version ?? plugin_version, SEVERAL_GATEWAYS)) {
      return none(`the site's account is paired, and its key is not here: ${way}`);
    }
    const caps = user.caps["manage_options"];
    return none(`not paired: ${way}`, caps === true || caps === 1);
  }
  if (!hold.paired) {
    const said = hold.why === null ? "" : ` (${hold.why})`;
    return none(`the site does not accept this gateway's key${said}: ${way}`);
  }
  if (!hold.active) return none(hold.why ?? "the site does not say why");
  const own_method = hold.methods.includes(HELD_METHOD);
  return { ready: true, version: hold.version ?? plugin_version, own_method };
}

/** Asks the plugin for a key, with a code of its page or as an administrator. Throws CmsError. */
export async function paired(
  ctx: SiteContext,
  name: string,
  code?: string,
): Promise<{ readonly key_id: string; readonly key: string }> {
  const json = { name, ...(code === undefined ? {} : { code }) };
  return await new WordPressClient(ctx).post(`${COMPANION}/gateways`, {}, json, PAIRED);
}

/** The headers that sign a held request of a tool server, by the key of the site; none for any other request. */
export async function holdSigned(
  ctx: SiteContext,
  out: Outgoing,
): Promise<Readonly<Record<string, string>>> {
  const isHeld = Object.keys(out.headers ?? {}).some((name) => name.toLowerCase() === HOLD_HEADER);
  return isHeld ? await signatureOf(await ctx.secret("companion"), out, ctx.now()) : {};
}
