/** The repository app itself: whether it is set up, and who has it installed. */
import { z } from "zod";
import { GatewayError } from "../../errors.ts";
import { LIMITS } from "../../model.ts";
import type { Http } from "../http.ts";
import type { Outgoing } from "../platform.ts";
import { appOf, type RepoReach } from "./access.ts";
import { RepoWire } from "./wire.ts";

/** One owner who has the app installed. */
export interface AppInstallation {
  readonly id: number;
  readonly account: string;
  /** Whether it covers all of the owner's repositories. */
  readonly all_repositories: boolean;
  readonly may_write: boolean;
  readonly suspended: boolean;
}

/** What is known of the app. `problem` says what is missing or failed, and what to do. */
export interface AppReport {
  readonly configured: boolean;
  readonly app: { readonly id: number; readonly name: string; readonly address: string | null } | null;
  readonly installations: readonly AppInstallation[];
  readonly problem: string | null;
}

const APP = z.object({ id: z.number(), name: z.string(), html_url: z.string().nullish() });
const INSTALLATIONS = z.array(z.object({
  id: z.number(),
  account: z.object({ login: z.string() }).nullish().catch(null),
  repository_selection: z.string(),
  permissions: z.object({ contents: z.string().optional() }).catch({}),
  suspended_at: z.string().nullish(),
}));
const PER_PAGE = 100;
const PAGES = 10;

/** Reads the report; what fails is told in it and never thrown. */
export async function readApp(reach: RepoReach): Promise<AppReport> {
  const nothing = { configured: false, app: null, installations: [] };
  try {
    appOf(reach);
  } catch (thrown) {
    return { ...nothing, problem: (thrown as GatewayError).message };
  }
  try {
    const wire = new RepoWire(reach, null);
    const { id, name, html_url } = await wire.askApp("/app", {}, APP);
    const app = { id, name, address: html_url ?? null };
    return { configured: true, app, installations: await installations(wire), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { ...nothing, configured: true, problem: thrown.message };
  }
}

async function installations(wire: RepoWire): Promise<AppInstallation[]> {
  const found: AppInstallation[] = [];
  for (let page = 1; page <= PAGES; page++) {
    const told = await wire.askApp("/app/installations", { per_page: PER_PAGE, page }, INSTALLATIONS);
    found.push(...told.map((one) => ({
      id: one.id,
      account: one.account?.login ?? "",
      all_repositories: one.repository_selection === "all",
      may_write: one.permissions.contents === "write",
      suspended: (one.suspended_at ?? null) !== null,
    })));
    if (told.length < PER_PAGE) break;
  }
  return found;
}

/** The way out for the app alone: it reads itself and its installations, nothing is kept. */
export function appReach(http: Http, setting: RepoReach["setting"], now: () => number): RepoReach {
  const own = ["/app", "/app/installations"].map((path) => `${setting("REPO_API_BASE")}${path}`);
  const look = (out: Outgoing) => {
    if (out.method !== "GET" || !own.includes(out.url.split("?")[0]!)) {
      throw new GatewayError("E_FORBIDDEN_OP", "Of the repository app only its installations are read");
    }
  };
  const end = () => now() + LIMITS.UPSTREAM_DEADLINE_MS;
  return {
    setting,
    now,
    endsAt: end(),
    cache: { get: () => undefined, set: () => {} },
    send: (out) => http.send(out, { endsAt: end(), look }),
  };
}
