/** What a page says first: that something was done, or was not. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { seen } from "../core/unseen.ts";

/** A box that a screen reader reads at once where something is wrong. */
export function Notice(
  { kind, children }: PropsWithChildren<{ readonly kind: "done" | "problem" | "note" | "warning" }>,
): Child {
  const role = kind === "problem" ? "alert" : kind === "warning" ? "note" : "status";
  return <div class={`notice ${kind}`} role={role}>{children}</div>;
}

/** What was wrong, or else what was done; nothing where nothing is said. */
export function Said(
  { done, problem }: {
    readonly done?: string | undefined;
    readonly problem?: { readonly message: string } | undefined;
  },
): Child {
  if (problem) {
    return (
      <Notice kind="problem">
        <p>{`${seen(problem.message)}.`}</p>
      </Notice>
    );
  }
  if (!done) return null;
  return (
    <Notice kind="done">
      <p>{done}</p>
    </Notice>
  );
}
