/** A set is planned: each of its calls takes the steps up to its plan, and every one that is refused is named. */
import { Buffer } from "node:buffer";
import { asGatewayError, cancelled, clipped, GatewayError } from "../../core/errors.ts";
import { type Change, LIMITS, type Site, type Tier } from "../../core/model.ts";
import { askedBy } from "../../core/asked_names.ts";
import { cleaned } from "../../core/one_line.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { writes } from "../../registry/manifest.ts";
import type { Raise } from "../../registry/tool.ts";
import type { SetOrder } from "../../registry/set_port.ts";
import type { SetContent, SetItem } from "../../store/store.ts";
import { preview } from "../consent/confirm.ts";
import { redactText } from "../audit/redact.ts";
import { previewed } from "../consent/consent.ts";
import { hashParts, saidName, shownAs } from "../consent/consent_content.ts";
import { siteTimeWords } from "../../rules/schedule.ts";
import { admit, type AdmitPorts, type Admitted, type Asked, planned, subjectOf } from "../pipeline/admit.ts";
import { judgeRaises } from "../pipeline/raises.ts";
import { endOfCall } from "../pipeline/context.ts";
import type { CallParts } from "../pipeline/context_ports.ts";
import { checkLeftOut, checkRemaining, refusal, type RefusedItem } from "./refused.ts";
import { checkUses, type Earlier, usesIn, withStandIns } from "./references.ts";
import { type Forecast, Forecasts, thingOf } from "./things.ts";

/** The least that is shown of an item, whatever the others take. */
const ITEM_BYTES_MIN = 3 * 1024;

/** Who asks, as far as planning needs it. */
export interface Asking extends Pick<CallParts, "caller" | "record"> {
  /** Whether nobody waits for it any more. */
  isLeft(): boolean;
}

/** A set that can be shown. */
export interface Prepared {
  readonly content: SetContent;
  readonly sites: readonly Site[];
  readonly tier: Tier;
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Throws E_BAD_INPUT for what is no set, and E_PAYLOAD_TOO_LARGE. */
function checkOrder({ title, changes }: SetOrder): void {
  const most = LIMITS.SET_ITEMS_MAX;
  if (cleaned(title) === "") throw bad("title: must not be blank");
  if (changes.length === 0) throw bad("changes: nothing is to be changed; give one call at least");
  if (changes.length > most) {
    throw bad(
      `changes: ${changes.length} calls are more than the ${most} that one set may have; make several sets`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify([title, changes]));
  if (bytes > LIMITS.SET_BYTES) {
    throw new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `changes: together they have ${bytes} bytes, and a set at most ${LIMITS.SET_BYTES}; make several sets`,
    );
  }
}

/** An item while it is walked. */
interface Walked {
  readonly entry: Earlier["entry"];
  readonly site_id: string | null;
  readonly done: Promise<{ readonly item: SetItem; readonly sites: readonly Site[]; readonly tier: Tier }>;
}

/**
 * Plans the calls, a few sites side by side; `told` after each. Those that who decides on the set leaves out are not
 * planned. Throws what one is refused with, every refused one named: with that one's code where it is the same of all,
 * else with E_BAD_INPUT; E_BAD_INPUT as well for items that cannot be left out.
 */
export async function prepare(
  ports: AdmitPorts,
  asking: Asking,
  order: SetOrder,
  told: (planned: number) => void,
): Promise<Prepared> {
  checkOrder(order);
  const without = new Set(asking.record.root.view?.without);
  checkLeftOut(without, order.changes.length);
  const walk = new Walk(ports, asking, order);
  const found = await walk.all(without, told);
  checkRemaining(found.map(({ item }) => item), without);
  const tier = Math.max(...found.map((one) => one.tier)) as Tier;
  const sites = new Map(found.flatMap((one) => one.sites.map((site) => [site.id, site] as const)));
  const { title, on_failure = "skip_site", first, warnings = [], about = [] } = order;
  const items = found.map(({ item: { preview, ...item } }) => ({
    ...item,
    preview: { ...preview, ...about[item.item - 1] },
  }));
  const content = {
    title: redactText(cleaned(title)),
    on_failure,
    first: first === 1,
    items,
    warnings: [...warnings, ...twiceHeld(items)],
    ...without.size === 0 ? {} : { left_out: walk.leftOut(without) },
  };
  return { content, sites: [...sites.values()], tier };
}

/** What items that call sites' own tools change one after the other, a sentence each: their effects are compared as shown. */
function twiceHeld(items: readonly SetItem[]): string[] {
  const seen = new Map<string, number>();
  const found = new Map<string, string>();
  for (const { item, site_id, shown, preview } of items) {
    if (shown.dry_run === undefined) continue;
    const fields = (preview["changes"] as readonly Change[]).map(({ field }) => field);
    for (const thing of new Set(fields.map((field) => field.split(": ")[0]!))) {
      const key = JSON.stringify([site_id, thing]);
      const before = seen.get(key);
      seen.set(key, item);
      if (before === undefined) continue;
      found.set(
        key,
        `Items ${before} and ${item} change ${thing} by the site's own tools, and the later one is carried out only if it ` +
          "does what is shown: it will be refused where the earlier one changes that, so better make two sets",
      );
    }
  }
  return [...found.values()];
}

/** Hashes of what a call would replace, by part; only reads. Throws what its steps do. */
export async function planParts(
  ports: AdmitPorts,
  record: CallParts["record"],
  asked: Pick<Asked, "caller" | "tool" | "args">,
): Promise<Readonly<Record<string, string>> | null> {
  const deadline = endOfCall(ports.now());
  const beside = { asks: { confirm: true }, bytes: 0, deadline, outer: [], inSet: true };
  const admitted = await record.watch(() => admit(ports, { ...asked, ...beside }, record));
  return hashParts((await record.watch(() => planned(admitted, record))).revision);
}

class Walk {
  readonly #ports: AdmitPorts;
  readonly #asking: Asking;
  readonly #order: SetOrder;
  readonly #earlier: (Earlier | null)[] = [];
  /** In which state each will find its thing, where an earlier one decides that. */
  readonly #forecasts: (Forecast | null)[] = [];
  readonly #states = new Forecasts();

  constructor(ports: AdmitPorts, asking: Asking, order: SetOrder) {
    this.#ports = ports;
    this.#asking = asking;
    this.#order = order;
  }

  async all(without: ReadonlySet<number>, told: (planned: number) => void) {
    const { changes } = this.#order;
    const refused: RefusedItem[] = [];
    const found: Awaited<Walked["done"]>[] = [];
    let next = 0;
    let count = 0;
    const work = async () => {
      for (let at = next++; at < changes.length; at = next++) {
        if (this.#asking.isLeft()) throw cancelled();
        if (without.has(at + 1)) continue;
        try {
          found[at] = await this.#one(at + 1);
        } catch (thrown) {
          const failure = asGatewayError(thrown, this.#asking.record.requestId);
          if (failure.code === "E_INTERNAL" || failure.code === "E_CANCELLED") throw failure;
          refused.push({ item: at + 1, tool: changes[at]!.tool, failure });
        }
        told(++count);
      }
    };
    for (const [at] of changes.entries()) await this.#look(at + 1);
    await Promise.all(Array.from({ length: LIMITS.SET_SITES_AT_ONCE }, work));
    if (refused.length > 0) throw refusal(refused, this.#order);
    return found.filter((one) => one !== undefined);
  }

  /** Items that are left out, as they are told of. */
  leftOut(without: ReadonlySet<number>) {
    return [...without].sort((a, b) => a - b).map((item) => {
      const { tool, arguments: args } = this.#order.changes[item - 1]!;
      return { item, tool, site_id: typeof args["site_id"] === "string" ? args["site_id"] : null };
    });
  }

  /** Looks the tool up, so that later items know what this one makes. */
  async #look(item: number): Promise<void> {
    const { catalog } = this.#ports;
    const { tool, arguments: args } = this.#order.changes[item - 1]!;
    await catalog.fresh(tool);
    const entry = catalog.get(tool, this.#asking.caller);
    const site_id = typeof args["site_id"] === "string" ? args["site_id"] : null;
    this.#earlier.push(entry == null ? null : { entry, site_id });
    this.#forecasts.push(entry == null ? null : this.#states.next(item, entry, args, site_id));
  }

  async #one(item: number) {
    const { caller, record: whole } = this.#asking;
    const { tool, arguments: args } = this.#order.changes[item - 1]!;
    const entry = this.#ports.catalog.find(tool, caller);
    refuseAsked(entry, args);
    const uses = usesIn(args, item);
    checkUses(entry, args, uses, (n) => this.#earlier[n - 1] ?? null);
    const kind = await this.#kindOf(args["site_id"]);
    const placed = withStandIns(args, uses, (id, field) => accepts(this.#ports, kind, id, field));
    const record = whole.apart(tool, placed);
    const deadline = endOfCall(this.#ports.now());
    const asked = {
      args: placed,
      asks: { confirm: true },
      bytes: 0,
      caller,
      tool,
      deadline,
      outer: [],
      inSet: true,
    };
    const now = await record.watch(() => admit(this.#ports, asked, record));
    if (now.tier === 0) throw bad(`"${tool}" only reads with these arguments; call it by itself`);
    const forecast = this.#forecasts[item - 1] ?? null;
    const admitted = await record.watch(() => Promise.resolve(inState(now, record, forecast)));
    const later = { uses, follows: forecast?.by ?? null };
    const shown = Object.keys(uses).length > 0
      ? { ...this.#unplanned(admitted, record, args, later), follows: null }
      : await this.#planned(admitted, record).then((one) => ({ ...one, follows: null })).catch((thrown) => {
        if (!isOfState(thrown, forecast)) throw thrown;
        return { ...this.#unplanned(admitted, record, args, later), follows: forecast!.by };
      });
    const { site } = admitted;
    return {
      item: {
        item,
        tool: entry.name,
        site_id: site?.id ?? null,
        sites: record.allSites.map(({ id }) => id),
        args,
        uses,
        thing: Object.keys(uses).length > 0 ? null : thingOf(entry, admitted.input.args, site?.id ?? null),
        ...shown,
      },
      sites: [...record.allSites],
      tier: record.highestTier ?? admitted.tier,
    };
  }

  /** How much is shown of the changes of each. */
  get #bytes(): number {
    const all = this.#isWhole ? LIMITS.APPROVAL_SHOWN_BYTES : 4 * LIMITS.PREVIEW_BYTES;
    return Math.max(ITEM_BYTES_MIN, all / this.#order.changes.length);
  }

  /** Whether who decides reads all of every text. */
  get #isWhole(): boolean {
    return this.#asking.record.root.view?.whole ?? false;
  }

  /** What is shown of an item whose plan is known. */
  async #planned(admitted: Admitted, record: CallParts["record"]) {
    const ready = await record.watch(() => planned(admitted, record));
    const { call, dryRun } = await previewed(ready);
    const isKept = this.#ports.store.changes.days > 0;
    const { confirm_token: _, expires_at: __, next: ___, needs_confirmation: ____, tool: _____, ...said } =
      preview(
        call,
        record,
        { token: "", expires_at: 0, isKept, bytes: this.#bytes, isWhole: this.#isWhole },
      );
    const content = shownAs(subjectOf(admitted), record, ready.revision);
    return {
      shown: dryRun === null ? content : { ...content, dry_run: dryRun.id },
      said: saidName(ready),
      preview: said as unknown as Readonly<Record<string, unknown>>,
    };
  }

  /** What is shown of one that changes what an earlier item makes: all that it will set there. */
  #unplanned(
    admitted: Admitted,
    record: CallParts["record"],
    args: Readonly<Record<string, unknown>>,
    { uses, follows }: { readonly uses: Readonly<Record<string, number>>; readonly follows: number | null },
  ) {
    const { entry: { name }, site, tier, raises } = admitted;
    const isMade = Object.keys(uses).length > 0;
    const names = Object.entries(uses).map(([field, from]) => `${field} is the id that item ${from} makes`);
    const where = isMade ? `, where ${names.join(" and ")}` : `, once item ${follows} is done`;
    const given = Object.entries(args).filter(([field]) =>
      field !== "site_id" && !Object.hasOwn(uses, field)
    );
    const changes: Change[] = given.map(([field, to]) => ({ field, from: null, to }));
    const said = preview(
      {
        tool: name,
        tier: record.highestTier ?? tier,
        plan: { summary: `${name} on ${site?.name ?? ""}${where}`, changes },
        changes,
        revision: null,
        warnings: siteTimeWords("scheduled_at", args["scheduled_at"]),
        calls: [],
        offered: false,
        dryRun: false,
        final: isMade ? "It changes what the set itself makes" : undefined,
      },
      record,
      { token: "", expires_at: 0, isKept: true, bytes: this.#bytes, isWhole: this.#isWhole },
    );
    const { summary, changes: shownChanges, left_out, site_id, undoable, undoable_reason } = said;
    return {
      shown: { ...shownAs(subjectOf(admitted), record, null) },
      preview: {
        site_id,
        tier: record.highestTier ?? tier,
        summary,
        changes: shownChanges,
        ...left_out === undefined ? {} : { left_out },
        undoable,
        ...undoable_reason === undefined ? {} : { undoable_reason },
        ...raises.length + said.warnings.length === 0
          ? {}
          : { warnings: [...raises.map(({ because }) => because), ...said.warnings] },
        plan: isMade
          ? "It is planned once that is made, and touches nothing that is there now"
          : `It is planned once item ${follows} is done, and changes what that leaves, as it leaves it`,
      } as Readonly<Record<string, unknown>>,
    };
  }

  async #kindOf(site_id: unknown): Promise<string | null> {
    if (typeof site_id !== "string") return null;
    return (await this.#ports.store.sites.get(site_id))?.platform ?? null;
  }
}

/** Whether a plan was refused for a state that an earlier item will change. */
const isOfState = (thrown: unknown, forecast: Forecast | null): boolean =>
  forecast !== null && thrown instanceof GatewayError && thrown.code === "E_FORBIDDEN_OP";

/** The call as it will be once an earlier item has changed the state of its thing: tier and flags go by that. */
function inState(admitted: Admitted, record: CallParts["record"], forecast: Forecast | null): Admitted {
  if (forecast === null) return admitted;
  const { entry: { name, manifest: { state: { of, to }, flags } }, raises, parts } = admitted;
  const { state, by } = forecast;
  if (of !== undefined && !of.includes(state)) {
    const what = state === "draft" ? "leaves it a draft" : `makes it ${state}`;
    throw new GatewayError(
      "E_FORBIDDEN_OP",
      `item ${by} ${what} by then, and "${name}" changes only what is ${
        of.join(" or ")
      }; put them in another order, ` +
        "or use another tool",
    );
  }
  if (to !== undefined || state === "draft") return admitted;
  const found: Raise = state === "scheduled"
    ? { tier: 2, because: `item ${by} schedules it, so that it goes live by itself, with this change` }
    : {
      tier: 3,
      flags: flags.filter(({ live }) => live).map(({ flag }) => flag),
      published: true,
      because: `item ${by} publishes it, and visitors get this change at once`,
    };
  parts.grant = judgeRaises({ ...parts, record }, [found]) ?? parts.grant;
  return { ...admitted, tier: record.decision.tier ?? admitted.tier, raises: [...raises, found] };
}

function accepts(
  { connectors }: Pick<AdmitPorts, "connectors">,
  kind: string | null,
  id: string | number,
  field: string,
): boolean {
  try {
    if (kind !== null) connectors.ofKind(kind)?.checkId?.(id, field);
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses what is no write, what makes a set itself, and what would ask something for this item alone: each is previewed and
 * confirmed with the others.
 */
function refuseAsked(entry: ToolEntry, args: Readonly<Record<string, unknown>>): void {
  const { name, manifest, offer } = entry;
  if (manifest.calls.length > 0) {
    throw new GatewayError("E_FORBIDDEN_OP", `"${name}" makes a set, and a set has none within it`);
  }
  if (!offer && !writes(manifest)) throw bad(`"${name}" only reads; call it by itself`);
  const site = typeof args["site_id"] === "string" ? args["site_id"] : offer?.sites[0] ?? "";
  const isTools = (one: string) =>
    offer ? offer.has(one, site) : Object.hasOwn(manifest.input.properties ?? {}, one);
  const asked = Object.keys(args).find((one) => askedBy(one) !== null && !isTools(one));
  if (asked !== undefined) {
    throw bad(`${clipped(asked)}: leave it out; the set is previewed and confirmed as a whole`);
  }
}
