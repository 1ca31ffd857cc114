/** What a page says first: that something was done, or was not. */
import type { Child, PropsWithChildren } from "hono/jsx";

/** A box that a screen reader reads at once where something is wrong. */
export function Notice(
  { kind, children }: PropsWithChildren<{ readonly kind: "done" | "problem" | "note" }>,
): Child {
  return <div class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>{children}</div>;
}
