/** Preview branches, as whoever holds the master token is shown them, and what became of those that were to be deleted. */
import type { FoundPreview, Removal } from "../platforms/_connector/operator.ts";

/** A preview branch of a repository. */
export interface PreviewRow extends FoundPreview {
  /** Tokens whose next write would go to it, were it not merged: `<token_id> on <site_id>`. */
  readonly current_for: readonly string[];
}

/** A repository, and the static sites that are of it. */
export interface PreviewRepository {
  readonly repository: string;
  readonly sites: readonly string[];
  /** The branches that those are deployed from; empty where that could not be learned. */
  readonly deployed: readonly string[];
  readonly branches: readonly PreviewRow[];
  /** Branches that were not looked at. */
  readonly left: number;
  /** What ended the look, or keeps all from being deleted. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/** What would be deleted, and what stays. */
export interface PreviewList {
  readonly needs_confirmation: true;
  readonly repositories: readonly PreviewRepository[];
  /** What to send as `confirm` to have those deleted that may be: each as `<branch>@<commit>`. */
  readonly confirm: readonly string[];
}

/** A branch that was to be deleted. */
export interface RemovedPreview {
  /** null where no repository has such a branch. */
  readonly repository: string | null;
  readonly branch: string;
  /** What it ended at; `git push origin <commit>:refs/heads/<branch>` brings it back. */
  readonly commit: string;
  readonly outcome: Removal["outcome"];
  readonly reason: string | null;
}

/** What became of them. */
export interface PreviewsCleaned {
  readonly removed: readonly RemovedPreview[];
}
