/** The calls of the fixed order of refusals, a rung for each rule. */
import type { Code } from "../../core/errors.ts";
import type { AuditStatus } from "../../core/model.ts";
import { type KitOptions, site } from "../kit.ts";

/** The tools that the calls are of. */
const TOYS = new URL("../fixtures/toys/", import.meta.url);

/** The repository app is set up; which sites name a repository is for the ladder to tell. */
export const APP = { REPO_APP_ID: "1", REPO_APP_PRIVATE_KEY: "a key that nothing signs with" };

/** Sites and tokens that each rung is about. */
export const OPTIONS: KitOptions = {
  roots: [TOYS],
  settings: { upstream: APP },
  sites: [
    site("acme", "cms"),
    site("open", "cms", { flags: { allow_publish: true } }),
    site("linked", "cms", { flags: { allow_publish: true }, repo: "owner/name" }),
    site("files", "static"),
    site("other", "cms"),
  ],
  tokens: {
    narrow: { allowed_tools: ["list_sites", "explain_call"], allowed_sites: ["acme"], max_risk: 0 },
    low: { allowed_sites: ["acme", "files", "gone"], max_risk: 1 },
    high: { allowed_sites: ["acme", "files", "open", "linked", "gone"], max_risk: 3 },
  },
};

/** Everything wrong at once, from step 8 on: a publishing word, a bad argument, a bad route. */
export const LOUD = { loud: true, volume: 3 };
const ROUTE = { route: "a/../b" };

/** A call that breaks its own rule and every later one, and what it is refused with. */
export interface Rung {
  readonly step: string;
  readonly tool?: string;
  readonly as: string;
  readonly args: Record<string, unknown>;
  readonly code: Code;
  readonly audit: AuditStatus;
  readonly says: RegExp;
}

/** In the order of the steps. */
export const LADDER: readonly Rung[] = [
  {
    step: "4 the tool is looked up before its scope",
    tool: "toy_wirte",
    as: "narrow",
    args: { status: "publish", titel: 1 },
    code: "E_TOOL_NOT_FOUND",
    audit: "error",
    says: /did you mean "toy_write"/,
  },
  {
    step: "5 the tool's scope before the super-admin rule",
    tool: "toy_destroy",
    as: "narrow",
    args: { status: "publish", site_id: "other" },
    code: "E_SCOPE_DENIED",
    audit: "denied",
    says: /allowed_tools/,
  },
  {
    step: "7 the risk cap before the arguments",
    tool: "toy_destroy",
    as: "low",
    args: { status: "publish", site_id: "other" },
    code: "E_SCOPE_DENIED",
    audit: "risk_capped",
    says: /max_risk is 1/,
  },
  {
    step: "8a a publishing word before the schema",
    as: "low",
    args: { status: "publish", titel: 1, site_id: "other", ...LOUD, ...ROUTE },
    code: "E_FORBIDDEN_OP",
    audit: "error",
    says: /^status: "publish" would publish/,
  },
  {
    step: "8b a date under a minute ahead before the schema",
    as: "low",
    args: { scheduled_at: "2026-11-21T12:00:59Z", titel: 1, site_id: "other" },
    code: "E_FORBIDDEN_OP",
    audit: "error",
    says: /^scheduled_at/,
  },
  {
    step: "8c the schema before the site",
    as: "low",
    args: { titel: "a", site_id: "other", ...LOUD, ...ROUTE },
    code: "E_BAD_INPUT",
    audit: "error",
    says: /titel: unknown argument, did you mean title/,
  },
  {
    step: "8d the manifest's rules before the site",
    as: "low",
    args: { title: "a", loud: true, site_id: "other", ...ROUTE },
    code: "E_BAD_INPUT",
    audit: "error",
    says: /^volume is required when loud is true/,
  },
  {
    step: "9a a missing site",
    as: "low",
    args: { title: "a", ...LOUD, ...ROUTE },
    code: "E_BAD_INPUT",
    audit: "error",
    says: /^site_id is required/,
  },
  {
    step: "9b a site out of scope before the raised tier",
    as: "low",
    args: { title: "a", site_id: "other", ...LOUD, ...ROUTE },
    code: "E_SCOPE_DENIED",
    audit: "denied",
    says: /^site_id: the site "other" is outside/,
  },
  {
    step: "9c an unregistered site looks out of scope to who may not see all",
    as: "low",
    args: { title: "a", site_id: "nowhere", ...LOUD, ...ROUTE },
    code: "E_SCOPE_DENIED",
    audit: "denied",
    says: /is outside/,
  },
  {
    step: "9d an unregistered site is told to who may see all",
    as: "all",
    args: { title: "a", site_id: "nowhere", ...LOUD, ...ROUTE },
    code: "E_NOT_FOUND",
    audit: "error",
    says: /no site "nowhere" is registered/,
  },
  {
    step: "10 the effective tier before the platform",
    as: "low",
    args: { title: "a", site_id: "files", ...LOUD, ...ROUTE },
    code: "E_SCOPE_DENIED",
    audit: "risk_capped",
    says: /tier 3 call here/,
  },
  {
    step: "11 an argument the platform lacks before the flags",
    as: "high",
    args: { title: "a", site_id: "files", ...LOUD, ...ROUTE },
    code: "E_NOT_SUPPORTED",
    audit: "error",
    says: /^volume: only cms sites have it/,
  },
  {
    step: "12a the site's flag before the tool's check",
    as: "high",
    args: { title: "a", site_id: "acme", ...LOUD, ...ROUTE },
    code: "E_PUBLISH_NOT_ALLOWED",
    audit: "error",
    says: /needs allow_publish/,
  },
  {
    step: "12b the tool's check before the links",
    as: "high",
    args: { title: "a", site_id: "open", ...LOUD, ...ROUTE },
    code: "E_BAD_ROUTE",
    audit: "error",
    says: /climb out/,
  },
  {
    step: "13a the links before the secrets",
    as: "high",
    args: { title: "a", site_id: "open", ...LOUD },
    code: "E_REPO_NOT_LINKED",
    audit: "error",
    says: /no repository/,
  },
  {
    step: "13b the secrets before the plan",
    as: "high",
    args: { title: "a", site_id: "linked", ...LOUD, confirm: true },
    code: "E_MISSING_SECRET",
    audit: "error",
    says: /ADS_DEVELOPER_TOKEN/,
  },
];
