/** The draft a markdown file stands for: what its frontmatter says of it, and its body as HTML. */
import { GatewayError } from "../../core/errors.ts";
import type { ContentType, DraftFields } from "../../platforms/_content/posts.ts";
import type { MarkdownDocument } from "./_frontmatter.ts";

/** What is made of a file. */
export interface Draft {
  readonly type: ContentType;
  readonly fields: DraftFields & { readonly title: string; readonly content_html: string };
  /** What of the markdown did not go through as it was written. */
  readonly notes: readonly string[];
}

/** Reads a file's draft. Throws E_BAD_INPUT for a type that is none, a missing title, or a field that is no text. */
export async function draftOf({ frontmatter, body }: MarkdownDocument): Promise<Draft> {
  // Their packages are large, and not needed to start.
  const { required, typeOf } = await import("./_frontmatter.ts");
  const type = typeOf(frontmatter, "path");
  if (type === null) {
    throw new GatewayError(
      "E_BAD_INPUT",
      'path: the frontmatter needs the type "post" or "page"; set it in the file',
    );
  }
  const { htmlOf } = await import("./_html.ts");
  const { html, notes } = htmlOf(body, "path");
  const title = required(frontmatter, "title", "path");
  const slug = frontmatter["slug"] === undefined ? undefined : required(frontmatter, "slug", "path");
  const common = { title, content_html: html, ...(slug === undefined ? {} : { slug }) };
  if (type === "page") return { type: "page", fields: common, notes };
  const fields = {
    ...common,
    ...words(frontmatter, "tags"),
    ...words(frontmatter, "categories"),
    ...excerpt(frontmatter),
  };
  return { type: "post", fields, notes };
}

/** A list of names, a single one included; nothing where the file has none. */
function words(frontmatter: Readonly<Record<string, unknown>>, key: "tags" | "categories") {
  const value = frontmatter[key];
  if (value === undefined || value === null) return {};
  const list = [value].flat();
  if (list.every((one) => typeof one === "string" && one.trim() !== "")) return { [key]: list as string[] };
  throw new GatewayError(
    "E_BAD_INPUT",
    `path: ${key} of the frontmatter are names, a list of texts; mend the file`,
  );
}

function excerpt(frontmatter: Readonly<Record<string, unknown>>) {
  const value = frontmatter["excerpt"];
  return typeof value === "string" && value.trim() !== "" ? { excerpt: value } : {};
}
