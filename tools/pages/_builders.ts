/** Which builder a page is made with, and what may be given for it. */
import { GatewayError } from "../../core/errors.ts";
import { type Id, numericId } from "../../core/ids.ts";
import type { Builder, Site } from "../../core/model.ts";

/** The arguments of both tools that write pages. */
export interface BuilderArgs {
  readonly page_builder?: Builder;
  readonly builder_template_id?: Id;
  readonly variables?: Readonly<Record<string, string>>;
  readonly content_html?: string;
  readonly template?: string;
  readonly parent_id?: Id;
}

/**
 * The builder for a new page: the one named, else the only one there is. Throws E_BUILDER_REQUIRED where the site has
 * several and none is named, E_BUILDER_NOT_AVAILABLE where it lacks the one named.
 */
export function builderOf(site: Site, named: Builder | undefined): Builder {
  const has = site.available_builders;
  if (named !== undefined) return available(site, named);
  if (has.length === 1) return has[0]!;
  if (has.length === 0) return available(site, "block");
  throw new GatewayError(
    "E_BUILDER_REQUIRED",
    `page_builder is required: "${site.id}" has several builders enabled, say which of ${has.join(" and ")}`,
  );
}

function available(site: Site, builder: Builder): Builder {
  const has = site.available_builders;
  if (has.includes(builder)) return builder;
  throw new GatewayError(
    "E_BUILDER_NOT_AVAILABLE",
    `page_builder: "${builder}" is not enabled on "${site.id}", which has ${has.join(" and ") || "none"}; ` +
      "list_builders_for_site names them",
  );
}

/** The builder a change of a page is for; null where it is neither's content. Throws as builderOf, and E_BAD_INPUT. */
export function builderOfChange(site: Site, args: BuilderArgs): Builder | null {
  const { page_builder, builder_template_id, variables, content_html, template } = args;
  const visual = builder_template_id !== undefined || variables !== undefined;
  const block = content_html !== undefined || template !== undefined;
  const implied = visual ? "visual" : block ? "block" : undefined;
  const builder = page_builder ?? implied;
  return builder === undefined ? null : available(site, builder);
}

/** Refuses ids a cms cannot have: E_BAD_INPUT naming the argument. */
export function checkIds({ parent_id, builder_template_id }: BuilderArgs): void {
  if (parent_id !== undefined) numericId(parent_id, "parent_id");
  if (builder_template_id !== undefined) numericId(builder_template_id, "builder_template_id");
}

/** Refuses what the builder has no use for, and what it lacks: E_BAD_INPUT naming the argument. */
export function checkBuilderArgs(builder: Builder | null, args: BuilderArgs): void {
  const { builder_template_id, variables, content_html, template } = args;
  if (builder !== "visual") {
    const way = "it is for the visual builder; set page_builder to visual, or leave it out";
    return refuse({ builder_template_id, variables }, way);
  }
  refuse({ content_html, template }, "a page of the visual builder gets it from its template; leave it out");
  if (builder_template_id === undefined) {
    const which = "the visual builder makes pages from a template; list_page_templates names them";
    throw new GatewayError("E_BAD_INPUT", `builder_template_id is required: ${which}`);
  }
}

function refuse(args: Readonly<Record<string, unknown>>, why: string): void {
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined) throw new GatewayError("E_BAD_INPUT", `${name}: ${why}`);
  }
}

/** Refuses a body for a page of a platform whose pages take none: E_NOT_SUPPORTED with the ways there are. */
export function refuseHtml({ id, platform }: Site, { content_html }: BuilderArgs): void {
  if (content_html === undefined) return;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `content_html: "${id}" is a ${platform} site, whose pages take no HTML; copy a page that has the content with ` +
      "duplicate_page, or make the page without it and put saved sections on it with inject_page_section",
  );
}
