/** What the gateway knows of its repository app. */
import { GatewayError } from "../../core/errors.ts";
import type { Configured } from "../_connector/connector.ts";

/** The settings, by their names. */
export interface RepoSettings extends Readonly<Record<string, string | null>> {
  readonly REPO_API_BASE: string;
  readonly REPO_APP_ID: string | null;
  readonly REPO_APP_PRIVATE_KEY: string | null;
}

/** The app's id and key. Throws E_MISSING_SECRET naming the one that is not set. */
export function appOf(
  { settings }: Pick<Configured<RepoSettings>, "settings">,
): { appId: string; privateKey: string } {
  const { REPO_APP_ID: appId, REPO_APP_PRIVATE_KEY: privateKey } = settings;
  if (appId !== null && privateKey !== null) return { appId, privateKey };
  const missing = appId === null ? "REPO_APP_ID" : "REPO_APP_PRIVATE_KEY";
  throw new GatewayError(
    "E_MISSING_SECRET",
    `Repositories need ${missing}, which the gateway's operator has not set`,
  );
}
