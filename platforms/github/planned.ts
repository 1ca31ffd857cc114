/** What a plan found in a repository, and that a push goes over nothing else. */
import { GatewayError } from "../../core/errors.ts";
import type { View } from "./view.ts";

/** The files a write was planned on, at one commit: git's name of each by its path, null where there was none. */
export interface Planned {
  readonly commit: string | null;
  readonly files: Readonly<Record<string, unknown>>;
}

/** Refuses a branch that has moved since and where one of those files is another now: E_STALE_PREVIEW naming it. */
export async function requirePlanned(view: View, { commit, files }: Planned): Promise<void> {
  if (view.commit === commit) return;
  for (const [path, sha] of Object.entries(files)) {
    const now = (await view.find(path))?.sha ?? null;
    if (now === sha) continue;
    const what = sha === null ? "was made" : now === null ? "was taken out" : "was changed";
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `${
        JSON.stringify(path)
      }: ${what} by somebody else since it was looked at, so nothing was written; preview again ` +
        "and look at what stands there now",
    );
  }
}
