/** What the gateway does on its clocks. */

/** One of these jobs, as this process has seen it; times are ISO 8601. */
export interface JobReport {
  readonly name: string;
  /** Since when it runs; null while it does not. */
  readonly running_since: string | null;
  /** When it last went well; null where it has not yet. */
  readonly done_at: string | null;
  /** Since when every run has failed; null where the last went well. */
  readonly failing_since: string | null;
  /** What the log calls its failures. */
  readonly event: string;
}
