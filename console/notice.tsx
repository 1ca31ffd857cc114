/** What a page says first: that something was done, or was not. */
import type { Child, PropsWithChildren } from "hono/jsx";

/** A box that a screen reader reads at once where something is wrong. */
export function Notice(
  { kind, children }: PropsWithChildren<{ readonly kind: "done" | "problem" | "note" | "warning" }>,
): Child {
  const role = kind === "problem" ? "alert" : kind === "warning" ? "note" : "status";
  return <div class={`notice ${kind}`} role={role}>{children}</div>;
}
