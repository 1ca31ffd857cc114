/** The checks of diagnose_site on a CMS: from what probes found to what a person should do. */
import type { Site } from "../../core/model.ts";
import { type Check, fail, pass, type Probe, unknown } from "../_connector/checks.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { RefusedAddress } from "../_http/addresses.ts";
import { companionCheck, companionFeatures, firstRepair } from "./companion/checks.ts";
import { isWalled } from "./errors.ts";
import { type Health, health, type Index } from "./health.ts";
import type { PartName } from "./parts.ts";
import { WordPressClient } from "./rest/wordpress_client.ts";

const CLOCK_SECONDS_MAX = 30;
const NAME_CHARACTERS = 80;

/** Every check of a CMS site, within that many milliseconds; without credentials nothing is asked. */
export async function cmsChecks(ctx: SiteContext, limitMs: number): Promise<Check[]> {
  const { site } = ctx;
  const checks = probed(site, await health(new WordPressClient(ctx, ctx.now() + limitMs)));
  if (site.credentials.includes("cms")) return checks;
  return checks.map(({ name }) =>
    name === "credentials"
      ? fail(
        name,
        "The gateway holds no credentials for the site",
        `Set them with deno task admin site update ${site.id} --cms-username … --cms-password-stdin`,
      )
      : unknown(name, "Not asked: the gateway holds no credentials for the site", "Set the credentials first")
  );
}

function probed(site: Site, health: Health): Check[] {
  return [
    reachable(health.index),
    credentials(health),
    clock(health.index),
    companionCheck(health),
    builder(site, health),
    theme(health),
    part("tool_adapter", "The tool adapter", health),
    part("builder_tools", "The builder tool plugin", health),
    ...companionFeatures(site, health),
  ];
}

function reachable(index: Probe<Index>): Check {
  if (isWalled(index.error)) {
    return fail("rest_api", index.error.message, sentence(index.error.wall!.next));
  }
  if (index.error?.upstream === 401) {
    return unknown("rest_api", index.error.message, "Repair credentials first");
  }
  if (index.error instanceof RefusedAddress) {
    const next = "Correct base_url, or have the operator list its host in ALLOW_PRIVATE_UPSTREAMS";
    return fail("rest_api", index.error.message, next);
  }
  if (index.error) {
    return fail(
      "rest_api",
      index.error.message,
      "Open the base_url in a browser; allow the REST API in any firewall",
    );
  }
  return pass("rest_api", `"${index.found.name.slice(0, NAME_CHARACTERS)}" answers`);
}

const sentence = (part: string) => part.charAt(0).toUpperCase() + part.slice(1);

function credentials({ me, index }: Health): Check {
  if (me.error === undefined) {
    const who = `Signed in as "${me.found.slug}" (${me.found.roles.join(", ") || "no role"})`;
    if (me.found.can("edit_posts")) return pass("credentials", who);
    return fail(
      "credentials",
      `${who}, who lacks the right "edit_posts" there`,
      "Give the account a role of this site that has it, as editor; on a network of sites each site has roles of its own",
    );
  }
  if (me.error.upstream !== 401 || isWalled(me.error)) {
    return unknown("credentials", me.error.message, "Repair rest_api first");
  }
  if (index.error === undefined && !index.found.application_passwords) {
    return fail(
      "credentials",
      "The site has application passwords turned off",
      "Serve the site over https, and allow application passwords in its security plugin",
    );
  }
  return fail(
    "credentials",
    me.error.message,
    "Make a new application password and set the site's credentials",
  );
}

function clock(index: Probe<Index>): Check {
  if (index.error) return unknown("clock", "The site did not answer", "Repair rest_api first");
  const ahead = index.found.clock_ahead_seconds;
  if (ahead === null) {
    return unknown("clock", "The site's answers carry no time", "Look whether a proxy takes their Date away");
  }
  if (Math.abs(ahead) <= CLOCK_SECONDS_MAX) {
    return pass("clock", "The site's clock agrees with the gateway's");
  }
  const way = ahead > 0 ? "ahead of" : "behind";
  return fail(
    "clock",
    `The site's clock is ${Math.abs(ahead)} s ${way} the gateway's, so schedules go live at another time`,
    "Set the clock of the site's server",
  );
}

function theme(health: Health): Check {
  const { theme } = health;
  if (theme.error) {
    const next_step = firstRepair(health, theme.error) ?? "Look under Appearance on the site";
    return unknown("theme", theme.error.message, next_step);
  }
  const { name, version } = theme.found;
  if (name === null) return unknown("theme", "The site shows no theme", "Look under Appearance on the site");
  return pass(
    "theme",
    `The theme is ${name.slice(0, NAME_CHARACTERS)}${version === null ? "" : ` ${version}`}`,
  );
}

/** The visual builder, and whether the site's record says of it what the site does. */
function builder(site: Site, health: Health): Check {
  const check = part("page_builder", "The visual page builder", health);
  const offered = site.available_builders.includes("visual");
  if (check.ok === true && !offered) {
    return { ...check, detail: `${check.detail}; the site's record does not offer it (available_builders)` };
  }
  if (check.ok !== false || !offered) return check;
  return {
    ...check,
    detail: `${check.detail}, and yet the site's record offers it (available_builders)`,
    next_step: `${check.next_step}, or take visual out of available_builders`,
  };
}

const BY_HAND = "Look under Plugins on the site, or give the gateway an account that may manage plugins";

function part(name: PartName, what: string, health: Health): Check {
  const seen = health.parts[name];
  if (seen.error) {
    const next_step = firstRepair(health, seen.error) ?? BY_HAND;
    return unknown(name, `${what} cannot be seen: ${seen.error.message}`, next_step);
  }
  const { found } = seen;
  const wanted = "if this site's tools need it";
  const named = found.version === null ? what : `${what} ${found.version}`;
  switch (found.state) {
    case "missing":
      return fail(name, `${what} is not installed`, `Install it ${wanted}`);
    case "inactive":
      return found.version === null
        ? fail(name, `${what} is not active`, `Install and activate it ${wanted}`)
        : fail(name, `${named} is installed but not active`, "Activate it");
    case "silent":
      return fail(name, `${named} is active, but does not work`, "Look at the site's error log");
    case "active":
      return found.version === null
        ? pass(name, `${what} is active; its version shows only to an account that may manage plugins`)
        : pass(name, `${named} is active`);
  }
}
