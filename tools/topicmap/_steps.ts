/** The steps of a job, an audit or a brief as an answer shows them: what is not known of a step is left out. */

type Known<Step> = { readonly [Name in keyof Step]?: NonNullable<Step[Name]> };

/** The same with steps that hold no empty values, which of fourteen steps are most of the answer. */
export function withoutNulls<Of extends { readonly steps?: readonly object[] }>(
  found: Of,
): Omit<Of, "steps"> & { steps?: Known<NonNullable<Of["steps"]>[number]>[] } {
  const { steps, ...rest } = found;
  if (steps === undefined) return rest;
  const known = steps.map((step) =>
    Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null))
  );
  return { ...rest, steps: known as Known<NonNullable<Of["steps"]>[number]>[] };
}
