/** The checks of diagnose_site that ask the companion plugin: itself, what it brings, and the site's record beside it. */
import { counted } from "../../../core/one_line.ts";
import type { GatewayError } from "../../../core/errors.ts";
import type { Site } from "../../../core/model.ts";
import { type Check, fail, pass, type Probe, unknown } from "../../_connector/checks.ts";
import { isWalled } from "../errors.ts";
import type { Health } from "../health.ts";
import type { Companion } from "../parts.ts";
import {
  COMPANION_NEEDED,
  COMPANION_VERSION,
  type CompanionHealth,
  isOlder,
  lacks,
  partsOff,
  switchesOf,
} from "./plugin.ts";

type Features = CompanionHealth["features"];

const NOT_READY: Readonly<Record<Exclude<Companion["state"], "ready">, string>> = {
  missing: "which is not installed",
  inactive: "which is not active",
  "too old": "which is too old",
  silent: "which does not answer",
};

/** What has to be repaired before that failure of a probe tells anything; null where the failure tells by itself. */
export function firstRepair({ index }: Health, error: GatewayError): string | null {
  if (error.upstream === 401 && !isWalled(error)) return "Repair credentials first";
  return index.error ? "Repair rest_api first" : null;
}

/** Plugins that keep translations of a post in step, by the namespace of their REST routes. */
const LANGUAGES: Readonly<Record<string, string>> = { "pll/v1": "Polylang" };

/** What such a plugin of the site may do that nobody else notices; "" where it has none. */
function carriedOver({ index }: Health): string {
  const found = index.error ? undefined : index.found.namespaces.find((one) => Object.hasOwn(LANGUAGES, one));
  return found === undefined
    ? ""
    : `; ${
      LANGUAGES[found]
    } is active there, which can carry a draft's change over to translations that visitors see, ` +
      "and the companion plugin alone notices that";
}

/** Whether the companion plugin is there, active and new enough. */
export function companionCheck(health: Health): Check {
  const check = companionState(health);
  return check.ok === false ? { ...check, detail: check.detail + carriedOver(health) } : check;
}

function companionState(health: Health): Check {
  const name = "companion";
  const { companion } = health;
  if (companion.error) {
    const next_step = firstRepair(health, companion.error) ?? wayToReport(companion.error.upstream);
    return unknown(name, companion.error.message, next_step);
  }
  const { state, version } = companion.found;
  const named = `The companion plugin${version === null ? "" : ` ${version}`}`;
  switch (state) {
    case "ready":
      return readyCheck(name, named, companion.found.report);
    case "missing":
      return fail(
        name,
        `${named} is not installed`,
        `Install it if tools need it; version ${COMPANION_NEEDED}`,
      );
    case "inactive":
      return version === null
        ? fail(name, `${named} is not active`, `Install and activate it; version ${COMPANION_NEEDED}`)
        : fail(name, `${named} is installed but not active`, "Activate it on the site's Plugins page");
    case "silent":
      return fail(
        name,
        `${named} is active, but has no report`,
        `Look at the site's error log, and install it anew; version ${COMPANION_NEEDED}`,
      );
    case "too old":
      return fail(
        name,
        version === null ? `${named} has a version that cannot be read` : `${named} is too old`,
        `Update it; version ${COMPANION_NEEDED}`,
      );
  }
}

const UNANSWERED = "the server of its updates did not answer when the site last looked for one";

/** One that works, with what there is to say of its updates: nothing of the site waits for them, so it is met. */
function readyCheck(name: string, named: string, { plugin_version, update }: CompanionHealth): Check {
  const isOld = isOlder(plugin_version, COMPANION_VERSION);
  const refused = update?.refused
    ? "; the site refused an update of it, which was not what its packer signed: see under Plugins there why"
    : "";
  const silent = update?.unanswered ? `; ${UNANSWERED}` : "";
  if (!isOld) return pass(name, `${named} is active${refused}${silent}`);
  const way = update?.offered
    ? "press the update that the site's Plugins page offers"
    : "an operator makes its zip with deno task companion and uploads it on the site's Plugins page, which replaces it";
  const old = `older than ${COMPANION_VERSION}, which this gateway comes with (to update it, ${way})`;
  return pass(name, `${named} is active, and ${old}${refused}${silent}`);
}

function wayToReport(status: number | undefined): string {
  if (status === 403) {
    return "Give the site's account a role that may edit posts; where a firewall refused, allow /site-ops/v1 in it";
  }
  return "Look at the site's error log, and diagnose again";
}

/** What the companion plugin brings or alone can tell. */
export function companionFeatures(site: Site, { companion, seo_over_rest }: Health): Check[] {
  return [
    of(companion, "theme_snippet", "Whether the theme snippet is applied", snippet),
    of(companion, "code_page", "Making pages from code", codePage),
    of(companion, "seo_bridge", "The SEO bridge", seoBridge),
    seoSettings(site, companion, seo_over_rest),
    of(companion, "schema_bridge", "The schema bridge", (report) => schemaBridge(site, report)),
  ];
}

/** A check of the report, or why there is none; what the plugin does not tell of is unknown. */
function of(
  companion: Probe<Companion>,
  name: keyof Features,
  what: string,
  check: (report: CompanionHealth) => Check,
): Check {
  if (companion.error) {
    return unknown(
      name,
      `${what} is not known: the companion plugin gave no report`,
      "Repair companion first",
    );
  }
  const { found } = companion;
  if (found.state !== "ready") {
    const detail = `${what} needs the companion plugin, ${NOT_READY[found.state]}`;
    const ask = "See companion";
    return name === "theme_snippet" ? unknown(name, detail, ask) : fail(name, detail, ask);
  }
  if (found.report.features[name] !== null) return check(found.report);
  return unknown(
    name,
    `${what} is not known: the companion plugin does not tell`,
    "Look at the site's error log, and update the companion plugin",
  );
}

function snippet({ features }: CompanionHealth): Check {
  if (features.theme_snippet?.applied) return pass("theme_snippet", "The theme snippet is applied");
  return fail(
    "theme_snippet",
    "The theme snippet is not applied",
    "Nothing, unless a tool of the site's own asks for it: the companion plugin does its work",
  );
}

const CODE_RIGHTS = ["edit_pages", "unfiltered_html"];
const SCHEMA_RIGHTS = ["edit_others_posts", "unfiltered_html"];

function codePage(report: CompanionHealth): Check {
  const name = "code_page";
  if (!report.features.code_page?.active) return inactive(name, "Making pages from code");
  return lacking(name, report, CODE_RIGHTS) ?? pass(name, "Pages can be made from code");
}

/** The check of a site whose account may not use what is there; undefined where it may. */
function lacking(name: string, report: CompanionHealth, rights: readonly string[]): Check | undefined {
  const missing = rights.filter((right) => lacks(report, right));
  if (missing.length === 0) return undefined;
  return fail(
    name,
    `The site's account lacks the right ${missing.map((right) => `"${right}"`).join(" and ")}`,
    "Give it a role that has it",
  );
}

const inactive = (name: string, what: string) =>
  fail(name, `${what} is turned off on the site`, "Look at the companion plugin on the site");

function seoBridge(report: CompanionHealth): Check {
  const { active, provider, provider_version, off, beside } = report.features.seo_bridge!;
  if (!active) return inactive("seo_bridge", "The SEO bridge");
  if (provider === null) {
    return pass("seo_bridge", "The SEO bridge is active, over an SEO plugin that is not told");
  }
  if (provider === "other") {
    return fail(
      "seo_bridge",
      "The SEO bridge is active, but cannot reach the fields of the site's SEO plugin",
      "Set fields in that plugin, or use Yoast SEO, Rank Math or SEOPress; redirects and structured data can be set",
    );
  }
  if (provider === "none") {
    return pass(
      "seo_bridge",
      "The SEO bridge is active; without an SEO plugin it keeps and shows the fields itself",
    );
  }
  const version = provider_version === null ? "" : ` ${provider_version}`;
  if (beside.length > 0) {
    const other = beside.join(" and ");
    return fail(
      "seo_bridge",
      `The SEO bridge is active, over ${provider}${version}, and ${other} prints fields of its own beside it`,
      `Keep one SEO plugin: deactivate ${other}, or ${provider}, on the site's Plugins page`,
    );
  }
  if (off.some(({ part }) => part === "all")) {
    return fail(
      "seo_bridge",
      `The SEO bridge has nothing to write to: ${provider}${version} is active and shows nothing yet`,
      switchesOf(off),
    );
  }
  if (off.length > 0) {
    return fail(
      "seo_bridge",
      `The SEO bridge is active, over ${provider}${version}, of which parts are switched off: ${
        partsOff(off)
      }`,
      `If they are wanted: ${switchesOf(off)}`,
    );
  }
  return pass("seo_bridge", `The SEO bridge is active, over ${provider}${version}`);
}

/** Whether what the site's record says of SEO fits what the site has. */
function seoSettings(site: Site, companion: Probe<Companion>, overRest: Probe<string | null>): Check {
  const name = "seo_settings";
  const set = (pairs: string) => `deno task admin site update ${site.id} ${pairs}`;
  const { enabled, channel } = site.seo;
  const bridge = bridgeOf(companion);
  if (!enabled) {
    const pairs = `--seo enabled=true --seo channel=${bridge === false ? "rest" : "plugin"}`;
    return fail(name, "The SEO feature is off in the site's record", `If it is wanted: ${set(pairs)}`);
  }
  if (channel === "plugin") {
    if (bridge === null) {
      return unknown(
        name,
        "The SEO channel is the companion plugin, which is not known",
        "Repair companion first",
      );
    }
    if (bridge) return pass(name, "The SEO feature is on, over the companion plugin");
    const detail = "The SEO channel is the companion plugin, and the site has no SEO bridge";
    return fail(name, detail, "See companion and seo_bridge");
  }
  if (bridge) {
    return fail(
      name,
      "The SEO channel is rest, though the companion plugin is ready: over rest there is no structured data, " +
        "redirect, sitemap or custom schema, and not every field",
      set("--seo channel=plugin"),
    );
  }
  if (overRest.error) {
    return unknown(name, "The SEO channel is rest: the site did not answer", "Repair rest_api first");
  }
  if (overRest.found === null) {
    return fail(
      name,
      "The SEO channel is rest, and the site shows no SEO plugin that keeps fields over REST",
      `Install the companion plugin, see companion, then ${set("--seo channel=plugin")}`,
    );
  }
  return pass(name, `The SEO feature is on, for the fields that ${overRest.found} opens to REST`);
}

/** Whether the SEO bridge is active; null where it cannot be told. */
function bridgeOf(companion: Probe<Companion>): boolean | null {
  if (companion.error) return null;
  if (companion.found.state !== "ready") return false;
  return companion.found.report.features.seo_bridge?.active ?? null;
}

function schemaBridge(site: Site, report: CompanionHealth): Check {
  const name = "schema_bridge";
  const { active, provider, entries } = report.features.schema_bridge!;
  if (!active) {
    return fail(
      name,
      "The schema bridge has nothing to reach: no plugin that keeps custom schema is active",
      "Activate one that the companion plugin knows (its readme names them), if custom schema is wanted",
    );
  }
  const lack = lacking(name, report, SCHEMA_RIGHTS);
  if (lack) return lack;
  const over = provider === null ? "a plugin that is not told" : provider;
  const count = entries === null ? "how many entries is not told" : counted(entries, "entry", "entries");
  const off = site.seo.channel === "plugin" ? "" : "; tools reach it once the site's SEO channel is plugin";
  return pass(name, `The schema bridge is active, over ${over}: ${count}${off}`);
}
