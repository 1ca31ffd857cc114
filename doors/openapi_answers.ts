/** The parts of the OpenAPI document that say what calls of tools answer, and what schemas are written with. */
import type { OpenApiSchema } from "./openapi_schema.ts";

/** A reference to a named component. */
export const ref = (kind: "schemas" | "responses", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** A text. */
export const text = (description: string): OpenApiSchema => ({ type: "string", description });
/** A list of those. */
export const list = (items: OpenApiSchema, description: string): OpenApiSchema => ({
  type: "array",
  items,
  description,
});
/** An object that has all of those but the `optional` ones. */
export const object = (
  properties: Record<string, OpenApiSchema>,
  description: string,
  optional: readonly string[] = [],
): OpenApiSchema => ({
  type: "object",
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
/** The envelope of a success. */
export const envelope = (result: OpenApiSchema, description: string) =>
  object({ ok: { type: "boolean", enum: [true] }, result }, description);

/** What every write answers about itself. */
const PROOF: Record<string, OpenApiSchema> = {
  verified: {
    type: "boolean",
    nullable: true,
    description:
      "Whether what the site holds after the write was compared with what was asked for and is the same; false where it " +
      "is not, null where it could not be compared",
  },
  verified_reason: text("Why verified is null"),
  live: {
    type: "object",
    nullable: true,
    description:
      "Of a write for visitors' eyes: what they get, read as a visitor right afterwards: checked_at, address, as_expected " +
      "(null where the page could not be seen), differs, and cause (page_cache, page, wall), cache, reason, next, caches_asked (the page caches of the site that were asked to drop the page) where there " +
      "is one; null where nobody looked. It changes nothing of verified",
  },
  live_reason: text("Why live is null, and what to do next"),
  warnings: list(
    { type: "string" },
    "What differs from what was asked for, and what else to know; a sentence each",
  ),
  request_id: text("Of the call that wrote; the id of its audit row"),
  replayed: { type: "boolean", enum: [true], description: "Set where an equal call wrote before" },
};

/** What tools answer: previews, writes, and their envelopes. */
export const ANSWERS: Record<string, OpenApiSchema> = {
  Change: object(
    {
      field: text("What would change"),
      from: { description: "The value now; null for what is made new", nullable: true },
      to: { description: "The value after the change", nullable: true },
      origin: text("Where the value now comes from, where the changed thing itself does not hold it"),
    },
    "One field of a preview",
    ["origin"],
  ),
  Preview: object(
    {
      needs_confirmation: { type: "boolean", enum: [true] },
      tool: text("The tool that would run"),
      site_id: { ...text("The site it would run on"), nullable: true },
      tier: { type: "integer", minimum: 0, maximum: 4, description: "The risk of this call" },
      summary: text("One sentence a person can approve"),
      changes: list(ref("schemas", "Change"), "What would change, read live"),
      revision: {
        ...text("Names the state that was read; null where the call touches nothing that exists"),
        nullable: true,
      },
      confirm_token: text("Binds the write to this preview; sent with confirm: true it is carried out once"),
      expires_at: text("Until when the confirm_token holds, ISO 8601 UTC"),
      approval: object({
        id: text("What get_approval takes as `approval_id`"),
        url: text("Where a person reads it and decides"),
        expires_at: text("Until when it can be decided, ISO 8601 UTC"),
      }, "The request for a person's approval, where one is needed"),
      next: text("How to go on"),
      undoable: { type: "boolean", description: "Whether the gateway can take the change back" },
      undoable_reason: text("Why it cannot"),
      warnings: list({ type: "string" }, "What a person should know before approving"),
    },
    "What a write would do; nothing was changed",
    ["approval", "undoable_reason"],
  ),
  Written: {
    type: "object",
    description: "What a tool answers that wrote: its own result, and what was proven of it",
    required: ["verified", "warnings", "request_id"],
    properties: PROOF,
    additionalProperties: true,
  },
  ToolEnvelope: envelope({ description: "What the tool answered" }, "The answer to a call that succeeded"),
  AnyToolEnvelope: {
    type: "object",
    description:
      "The answer to a call of any tool. Of a site's own tool the result is what it answered, unchanged, and what " +
      "the gateway says of it is beside the result",
    required: ["ok", "result"],
    properties: {
      ok: { type: "boolean", enum: [true] },
      result: { description: "What the tool answered" },
      answered_by: {
        type: "string",
        enum: ["site"],
        description: "Whose words the result is; set where a site's own tool answered",
      },
      ...PROOF,
      notice: text("Set where the site's words could be taken for the gateway's"),
    },
  },
  WriteEnvelope: envelope(
    { anyOf: [ref("schemas", "Preview"), ref("schemas", "Written")] },
    "The answer to a write: a preview without `confirm: true`, else what the tool answered",
  ),
  ReadOrWriteEnvelope: envelope(
    { anyOf: [ref("schemas", "Preview"), ref("schemas", "Written"), { description: "What was read" }] },
    "The answer of a tool that writes for some arguments: of a write as any write's, else what it read",
  ),
};
