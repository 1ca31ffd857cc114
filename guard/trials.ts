/** Tools that people try on the console: each trial is a call like any other, with a token of its person that lives for it. */
import { asGatewayError, GatewayError } from "../core/errors.ts";
import { type AuditRow, type Caller, isSuperAdmin, LIMITS, type Tier, type Token } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { EVERYTHING } from "../registry/asked_list.ts";
import { Content } from "../core/content.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ToolEntry } from "../registry/entry.ts";
import { reads, saidOf, type Shown } from "../registry/listing.ts";
import { OFFERED_WRITE, offeredTo } from "../registry/source.ts";
import type { ToolsPort } from "../registry/tool_ports.ts";
import {
  type ChangedRow,
  isOwn,
  mayUndo,
  type Trial,
  type TrialForm,
  type TrialOrder,
  type TrialsPort,
  type TrialTool,
  type Trier,
} from "../registry/trial_reports.ts";
import type { Store } from "../store/store.ts";
import { showsOwn, underProjects } from "./consent/confirm.ts";
import { OPERATOR_CALLER } from "./operator_calls.ts";
import type { Dispatch, ToolCall } from "./pipeline/dispatch.ts";
import type { RateLimit } from "./pipeline/limits.ts";
import { reaches } from "./pipeline/scope.ts";
import { findSite } from "./pipeline/site.ts";
import type { ToolLists } from "./tool_lists.ts";
import { trialAnswer } from "./trial_answer.ts";

/** What they depend on. */
export interface TrialPorts {
  readonly store: Pick<Store, "trials" | "sites" | "projects">;
  readonly lists: Pick<ToolLists, "of">;
  /** What finds tools by words, of those that the caller may call. */
  find(caller: Caller): Pick<ToolsPort, "find">;
  readonly catalog: Pick<Catalog, "find">;
  readonly dispatch: Dispatch;
  /** Who calls with that token by now. Throws E_AUTH where it does not stand. */
  callerOf(token: string): Promise<Caller>;
  /** How often somebody may try, whatever tokens that takes: each trial keeps a token, and what was tried. */
  readonly limit: Pick<RateLimit, "take">;
  record(
    by: Trier["actor"],
    action: string,
    what: object,
    more: Partial<Pick<AuditRow, "site_id">>,
  ): Promise<void>;
  now(): number;
  newId(): string;
}

/** What the tokens of trials are called. */
const NAME = "Try";
const UNDO = "undo_change";
const FOUND_MAX = 40;
/** What makes a set of calls of whichever tool fits each place; all of them are on its site. */
const OF_ANY_TOOL: readonly string[] = ["replace_text"];

type Kept = Omit<Trial, "id"> & { readonly token_id: string };

/** Trials of one gateway. */
export class Trials implements TrialsPort {
  constructor(private readonly ports: TrialPorts) {}

  /** Throws E_NOT_FOUND, E_SCOPE_DENIED for a site that is not the person's. */
  async tools(by: Trier, site_id: string, words?: string): Promise<readonly TrialTool[]> {
    const all = await this.#shown(by, site_id);
    if (words === undefined) return all.map(toolOf);
    const found = await this.ports.find(callerFor(by)).find(words, { site_id, limit: FOUND_MAX });
    const named = found.map(({ call }) => call.slice(0, call.indexOf("(")));
    return named.flatMap((name) => all.filter(({ entry }) => entry.name === name)).map(toolOf);
  }

  /** Throws E_TOOL_NOT_FOUND, and E_NOT_SUPPORTED for one that the person could not call on that site. */
  async tool(by: Trier, site_id: string, name: string): Promise<TrialForm> {
    const shown = await this.#named(by, site_id, name);
    const { manifest } = shown.entry;
    const site = await findSite(this.ports.store.sites, callerFor(by), site_id);
    const whole = saidOf(shown, { full: true, kind: site.platform }).description;
    return {
      ...toolOf(shown),
      whole,
      tier: shown.entry.offer && !reads(shown) ? OFFERED_WRITE : manifest.tier,
      most: callerFor(by).maxRisk,
      schema: schemaOf(shown.entry, site),
      texts: [...manifest.texts, ...manifest.file_text],
    };
  }

  /**
   * Throws E_BAD_INPUT for a ceiling that is not the person's to choose and for arguments that the tool does not take;
   * what else refuses the call, or fails, is what came of the trial.
   */
  async begin(by: Trier, order: TrialOrder): Promise<string> {
    const { site_id, tool, max_risk } = order;
    const { entry } = await this.#named(by, site_id, tool);
    const most = callerFor(by).maxRisk;
    if (!Number.isInteger(max_risk) || max_risk < 0 || max_risk > most) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `max_risk: expected a whole number from 0 to ${most}, your own ceiling`,
      );
    }
    await this.#take(by);
    const { sites, tools } = namedBy(entry, order, callerFor(by));
    const token = await this.ports.store.trials.begin({
      name: NAME,
      allowed_sites: sites,
      allowed_tools: tools,
      max_risk: max_risk as Tier,
      owner_user_id: by.user?.id ?? null,
      session: by.session,
    });
    await this.#recorded(by, token);
    return await this.#first(by, { order, token, entry });
  }

  /** Throws E_NOT_FOUND for one of another session too. */
  async show(by: Trier, id: string): Promise<Trial> {
    const { token_id: _, ...trial } = await this.#find(by, id);
    return { ...trial, id };
  }

  /** Throws E_NOT_FOUND, and E_CONFIRM_INVALID for another token than that of what was shown. */
  async confirm(by: Trier, id: string, confirm_token: string): Promise<void> {
    const kept = await this.#find(by, id);
    const { state, preview } = kept;
    if (state === "done" || state === "refused" || state === "approval") return;
    if (state === "previewed" && preview?.confirm_token !== confirm_token) {
      throw new GatewayError(
        "E_CONFIRM_INVALID",
        "confirm_token: it is not that of what was shown; nothing was sent",
        {
          outcome: "none",
        },
      );
    }
    const how = state === "unseen"
      ? { idempotencyKey: `trial-${id}` }
      : { asks: { confirm: true, confirm_token } };
    const { preview: _, ...of } = kept;
    await this.#keep(by, id, { ...of, ...await this.#call(of, how) });
  }

  /**
   * Throws E_BAD_INPUT for changes of several sites, E_FORBIDDEN for one that is not the person's to take back; what else
   * refuses it, or fails, is what came of the trial.
   */
  async undo(by: Trier, rows: readonly ChangedRow[]): Promise<string> {
    const [site_id, ...others] = new Set(rows.map((row) => row.site_id));
    if (site_id === undefined || site_id === null || others.length > 0) {
      throw new GatewayError("E_BAD_INPUT", "request_id: name changes of one site");
    }
    if (!rows.every((row) => mayUndo(by, row))) {
      throw new GatewayError("E_FORBIDDEN", "request_id: the change was made by somebody else");
    }
    const { entry } = await this.#named(by, site_id, UNDO);
    await this.#take(by);
    const max_risk = callerFor(by).maxRisk;
    const request_ids = rows.map(({ request_id }) => request_id);
    const calls = rows.flatMap(({ tool, calls = [] }) => [tool, ...calls.map((one) => one.tool)]);
    const token = await this.ports.store.trials.begin({
      name: NAME,
      allowed_sites: [site_id],
      allowed_tools: names([UNDO, ...calls]),
      max_risk,
      owner_user_id: by.user?.id ?? null,
      session: by.session,
      undoes: request_ids,
      ...rows.every((row) => isOwn(by, row)) ? {} : { undoes_as: "admin" },
    });
    await this.#recorded(by, token);
    const args = request_ids.length === 1 ? { request_id: request_ids[0]! } : { request_ids };
    return await this.#first(by, { order: { site_id, tool: UNDO, max_risk, arguments: args }, token, entry });
  }

  /** Throws E_RATE_LIMITED. */
  async #take(by: Trier): Promise<void> {
    await this.ports.limit.take(by.user?.id ?? by.actor.token_id);
  }

  async #recorded(by: Trier, token: Token): Promise<void> {
    const { id, created_at: _, revoked_at: __, session: ___, ...after } = token;
    await this.ports.record(by.actor, "token.create", { token: id, after }, {
      site_id: token.allowed_sites[0] ?? null,
    });
  }

  /** The first call of a trial: of a write its preview, where it has one. */
  async #first(
    by: Trier,
    { order, token, entry }: { readonly order: TrialOrder; readonly token: Token; readonly entry: ToolEntry },
  ): Promise<string> {
    const id = this.ports.newId();
    const { title, writes } = toolOf({ entry, sites: [order.site_id] });
    const of = { ...order, title, writes, token_id: token.id, ends_at: token.expires_at!, request_id: null };
    const previews = (entry.offer?.previews(order.site_id) ?? true) || await this.#isTold(by, order);
    const came = writes && !previews
      ? { state: "unseen" } as const
      : await this.#call(of, writes && entry.offer ? { asks: { dry_run: true } } : {}, true);
    await this.#keep(by, id, { ...of, ...came });
    return id;
  }

  /** Whether the gateway itself shows what the site's own tool would send, so that it is asked for as a dry run. */
  async #isTold(by: Trier, { site_id }: TrialOrder): Promise<boolean> {
    const site = await findSite(this.ports.store.sites, callerFor(by), site_id);
    return showsOwn(callerFor(by), await underProjects(this.ports.store.projects, [site]));
  }

  /** Calls it, through every step of a call. Throws E_BAD_INPUT alone, where that is wanted. */
  async #call(
    { token_id, tool, site_id, arguments: given }: Pick<Kept, "token_id" | "tool" | "site_id" | "arguments">,
    how: Pick<ToolCall, "asks" | "idempotencyKey">,
    throwsBad = false,
  ): Promise<Pick<Kept, "state" | "request_id"> & Partial<Kept>> {
    const request_id = this.ports.newId();
    const args = { ...given, site_id };
    const bytes = new TextEncoder().encode(JSON.stringify(args)).length;
    try {
      const caller = await this.ports.callerOf(token_id);
      const call = { door: "admin", requestId: request_id, caller, tool, ...how } as const;
      return {
        request_id,
        ...cameOf(await this.ports.dispatch({ ...call, parse: () => ({ args, bytes }) })),
      };
    } catch (thrown) {
      const { code, message, outcome } = asGatewayError(thrown, request_id);
      if (throwsBad && code === "E_BAD_INPUT") throw thrown;
      return {
        request_id,
        state: "refused",
        refusal: { code, message, ...outcome === undefined ? {} : { outcome } },
      };
    }
  }

  async #keep(by: Trier, id: string, trial: Kept): Promise<void> {
    const ends_at = this.ports.now() + LIMITS.TRIAL_MS;
    const of = { id, session: by.session, user_id: by.user?.id ?? null, sites: [trial.site_id], ends_at };
    await this.ports.store.trials.keep(of, JSON.stringify(trial));
  }

  async #find(by: Trier, id: string): Promise<Kept> {
    const found = await this.ports.store.trials.find(id.slice(0, 64));
    if (found !== null && found.session === by.session) return JSON.parse(found.text);
    throw new GatewayError(
      "E_NOT_FOUND",
      "This trial is not kept any more, or is another session's: what came of one is shown for 15 minutes. Its row is in " +
        "the audit",
    );
  }

  async #shown(by: Trier, site_id: string): Promise<readonly Shown[]> {
    const asked = { ...EVERYTHING, groups: ["*"], sites: [site_id] };
    const { shown } = await this.ports.lists.of(callerFor(by), asked);
    return shown.filter(({ entry }) => entry.manifest.forwards === undefined);
  }

  async #named(by: Trier, site_id: string, name: string): Promise<Shown> {
    const shown = (await this.#shown(by, site_id)).find(({ entry }) => entry.name === name);
    if (shown !== undefined) return shown;
    this.ports.catalog.find(name, callerFor(by));
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `"${name}" cannot be tried on site "${site_id}": a site of its kind has it not, what it needs is not linked there, ` +
        "or it lies above your ceiling",
    );
  }
}

/** Somebody as a caller of all that he or she may call: for lists, and no call is made with it. */
function callerFor({ user, actor }: Trier): Caller {
  if (user === null) return OPERATOR_CALLER;
  const token: Token = {
    ...OPERATOR_CALLER.token,
    id: actor.token_id,
    name: actor.token_name,
    max_risk: user.max_risk,
    owner_user_id: user.id,
    super_admin: false,
  };
  return { token, owner: user, superAdmin: isSuperAdmin(token), maxRisk: user.max_risk };
}

function toolOf(shown: Shown): TrialTool {
  const { entry: { name, group, manifest, definition } } = shown;
  const [description] = (manifest.listed?.description ?? definition.description).split(". ", 1);
  return { name, title: manifest.title, group, description: description!, writes: !reads(shown) };
}

const OURS: readonly string[] = ["site_id", "confirm", "confirm_token"];

/** The schema of the arguments alone that a site has. */
function schemaOf(entry: ToolEntry, { id, platform }: { readonly id: string; readonly platform: string }) {
  const { manifest, offer } = entry;
  const schema = offer ? offeredTo(entry, [id]).input_schema : manifest.input;
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const stays = (name: string) => {
    const kinds: readonly string[] | undefined = manifest.only[name];
    return kinds?.includes(platform) ?? (offer ? name !== "site_id" : !OURS.includes(name));
  };
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => stays(name))),
    required: required.filter(stays),
  };
}

/** What names a site or a tool has so many characters at most, and a token's list so many names. */
const NAME_CHARACTERS = 128;
const NAMES_MAX = 400;

const isName = (one: unknown): one is string =>
  typeof one === "string" && one !== "*" && one.length <= NAME_CHARACTERS;
/** What of it names one site or tool each: "*" would stand for all of them, and callers write what they like. */
const names = (all: readonly unknown[]) => [...new Set(all.filter(isName))].slice(0, NAMES_MAX);

/** The sites of the caller's own and the tools that a call names: its token is for those alone, each by its name. */
function namedBy({ manifest }: ToolEntry, { site_id, tool, arguments: args }: TrialOrder, caller: Caller) {
  const further = manifest.sites.map((name) => args[name]);
  const calls = manifest.calls.flatMap((name) => Array.isArray(args[name]) ? args[name] : []).filter(
    isFields,
  );
  const inner = calls.map((one) => isFields(one["arguments"]) ? one["arguments"]["site_id"] : undefined);
  const each = isFields(args["for_each"]) ? args["for_each"]["sites"] : undefined;
  const sites = names([site_id, ...further, ...inner, ...Array.isArray(each) ? each : []]);
  return {
    sites: sites.filter((id) => reaches(caller, id)),
    tools: OF_ANY_TOOL.includes(tool) ? ["*"] : names([tool, ...calls.map((one) => one["tool"])]),
  };
}

/** What a call answered, as it is shown. */
function cameOf(answer: unknown): Pick<Kept, "state"> & Partial<Kept> {
  if (isFields(answer) && !(answer instanceof Content) && answer["needs_confirmation"] === true) {
    const approval = answer["approval"];
    const preview = answer as unknown as NonNullable<Kept["preview"]>;
    return isFields(approval)
      ? { state: "approval", preview, approval_id: String(approval["id"]) }
      : { state: "previewed", preview };
  }
  const shown = trialAnswer(answer);
  const proof = answer instanceof Content ? answer.proof : answer;
  const replayed = isFields(proof) && proof["replayed"] === true;
  const isProven = !isFields(proof) || proof["verified"] !== false;
  return {
    state: "done",
    answer: shown,
    ...replayed ? { replayed } : {},
    ...isProven ? {} : { unproven: true as const },
  };
}
