/** The repository app itself: whether it is set up, and who has it installed. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { RepoContext } from "./access.ts";
import { appOf } from "./settings.ts";
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
export async function readApp(ctx: RepoContext): Promise<AppReport> {
  const nothing = { configured: false, app: null, installations: [] };
  try {
    appOf(ctx);
  } catch (thrown) {
    return { ...nothing, problem: (thrown as GatewayError).message };
  }
  try {
    const wire = new RepoWire(ctx, null);
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
