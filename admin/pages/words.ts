/** How pages word what is kept. */

/** A moment as people read it, in UTC. */
export function time(at: string | number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A ceiling in words. */
export const CEILINGS = [
  "read only",
  "drafts",
  "changes at other services",
  "publishing and pushes",
  "deleting",
] as const;
