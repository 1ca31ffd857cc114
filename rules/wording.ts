/** How previews put things: titles in sentences, and the changes of a state. */
import type { Change } from "../model.ts";

const TITLE_CHARACTERS = 80;

/** A title for a sentence. */
export function quoted(title: string): string {
  const text = title.trim();
  if (text === "") return "without a title";
  return `"${text.length > TITLE_CHARACTERS ? `${text.slice(0, TITLE_CHARACTERS)}…` : text}"`;
}

/** What has a state and perhaps a schedule. */
export interface Stateful {
  readonly status: string;
  readonly scheduled_at: string | null;
}

/** The changes of a new state. */
export function stateChanges(now: Stateful, status: string, scheduled_at: string | null): Change[] {
  const changes: Change[] = [
    { field: "status", from: now.status, to: status },
    { field: "scheduled_at", from: now.scheduled_at, to: scheduled_at },
  ];
  return changes.filter(({ from, to }) => from !== to);
}
