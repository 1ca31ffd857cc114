/** Content that nobody would see: a visual builder shows what it keeps of the post or page instead. */
import { GatewayError } from "../core/errors.ts";
import type { Builder } from "../core/model.ts";

/** Refuses it: E_BUILDER_MISMATCH with the next step. `what` is the post or page, `field` the argument. */
export function refuseUnseen(what: string, field: string, instead: string): never {
  throw new GatewayError(
    "E_BUILDER_MISMATCH",
    `${what} was taken over by the visual builder, which shows content of its own; nobody would see this ${field}: ` +
      `change it in the builder, ${instead}or give it back to the block editor in the CMS first`,
  );
}

/** The warning where the site does not tell who shows the content; none where it does. */
export function maybeUnseen(builder: Builder | null, field: string): string[] {
  if (builder !== null) return [];
  return [
    `${field}: the site does not tell whether a visual builder shows it, and where one does, nobody sees the new text`,
  ];
}
