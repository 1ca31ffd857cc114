/** deploy_md_to_site: a draft on a site, made of a markdown file. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS, type Making, type Site } from "../../core/model.ts";
import { type Compared, joined } from "../../platforms/_content/compared.ts";
import { posts } from "../../platforms/_content/posts.ts";
import { pages } from "../../platforms/_content/pages.ts";
import github from "../../platforms/github/connector.ts";
import { type Branch, branchWords } from "../../platforms/github/target.ts";
import { compared, type OtherSite, tool } from "../../registry/tool.ts";
import { textOf } from "../../platforms/astro/block.ts";
import { type Draft, draftOf } from "./_draft.ts";
import type { Frontmatter } from "../../platforms/astro/frontmatter.ts";
import { commit, fileAt, type MarkdownContext, markdownIn, runRaises, writable } from "./_repository.ts";

const SHOWN_CHARACTERS = 60;
const ONLY_MADE = "It makes a new draft, which is never deleted; a person puts it in the trash on the site";
const UNWRITTEN = "deployments: the draft was made, but it was not written down in the file";

/** Its package is large, and not needed to start. */
const frontmatter = () => import("./_frontmatter.ts");

/** Refuses a site no draft of markdown can be made on: E_NOT_SUPPORTED, E_BUILDER_MISMATCH. */
function checkTarget({ site: { id, platform, available_builders }, can }: OtherSite): void {
  if (!can(posts)) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `target_site_id: "${id}" is a ${platform} site, whose drafts cannot be reached; name a site that list_drafts takes`,
    );
  }
  if (available_builders.length > 0 && !available_builders.includes("block")) {
    throw new GatewayError(
      "E_BUILDER_MISMATCH",
      `target_site_id: "${id}" has the visual builder only, and markdown becomes plain blocks; make the page with ` +
        "create_page_draft from a template",
    );
  }
}

/** Reads only: what makes the draft once it is confirmed. */
async function prepare({ use }: OtherSite, { type, fields }: Draft) {
  if (type === "post") {
    const client = await use(posts);
    const draft = await client.prepareDraft(fields, null);
    return { lasting: draft.lasting ?? [], create: (made: Making) => client.createDraft(draft, made) };
  }
  const client = await use(pages);
  const { title, slug, content_html } = fields;
  const draft = await client.prepare({ title, slug, content_html }, null);
  return { lasting: draft.lasting ?? [], create: (made: Making) => client.create(draft, made) };
}

/** What the file's deployments say of that site, in a sentence: it has a draft of it already. Null where they do not. */
function deployedBefore({ deployments }: Frontmatter, { id: site_id, name }: Site): string | null {
  const entries = [deployments].flat().map((one) => Object(one) as Frontmatter);
  const last = entries.findLast((one) => one["site_id"] === site_id);
  if (last === undefined) return null;
  const words = [last["type"], last["id"]].filter((one) =>
    typeof one === "string" || typeof one === "number"
  );
  const which = words.length === 0 ? "a draft" : JSON.stringify(words.join(" ").slice(0, SHOWN_CHARACTERS));
  return `The file's deployments name ${which} on ${name} already; this makes one more`;
}

/** What became of writing the draft down: what is proven, and where it could be done the file's new sha and the commit. */
interface Recorded {
  readonly sha?: string;
  readonly proof: Compared;
  readonly at?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

/** Writes the draft down in the file. */
async function record(
  ctx: MarkdownContext,
  to: Branch,
  path: string,
  entry: Readonly<Record<string, unknown>>,
): Promise<Recorded> {
  const { withDeployment } = await frontmatter();
  try {
    const { shas, proof, branch, commit_sha, preview } = await commit(
      ctx,
      to,
      `Record a deployment of ${path}`,
      async (view) => {
        const { text } = await fileAt(view, path);
        return [{ path, bytes: new TextEncoder().encode(withDeployment(text, entry, "path")) }];
      },
    );
    const { note, ...shown } = preview;
    return {
      sha: shas.get(path),
      proof,
      at: { branch, commit_sha, ...shown },
      ...note === undefined ? {} : { note },
    };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { proof: { differences: [`${UNWRITTEN}: ${thrown.message}; do not deploy it again`] } };
  }
}

/** The file on the branch that it is written down on: of a preview that is not begun yet the deployed one. */
async function source(ctx: MarkdownContext, to: Branch, path: string) {
  const client = await ctx.use(github);
  const branch = to === "preview" ? await ctx.previews.get() : null;
  const stands = branch !== null && await client.head(branch) !== null;
  return await client.read(path, LIMITS.STATIC_FILE_BYTES, stands ? branch : undefined);
}

export default tool("deploy_md_to_site", {
  check({ path, target_site_id }, ctx) {
    markdownIn(ctx.site, path);
    checkTarget(ctx.forSite(target_site_id));
  },
  raises: ({ path, append_deployment, target_branch }) =>
    append_deployment ? runRaises(target_branch, path, {}) : [],
  async plan({ target_site_id, append_deployment, target_branch, ...args }, ctx) {
    const path = markdownIn(ctx.site, args.path);
    const target = ctx.forSite(target_site_id);
    const recorded = append_deployment
      ? `, and write it down in the file on ${branchWords(await writable(ctx, target_branch))}`
      : "";
    const { bytes, sha } = await source(ctx, target_branch, path);
    const text = textOf(bytes, "path");
    const { readDocument, withDeployment } = await frontmatter();
    if (append_deployment) withDeployment(text, {}, "path");
    const document = readDocument(text, "path");
    const draft = await draftOf(document);
    const before = deployedBefore(document.frontmatter, target.site);
    const { create, lasting } = await prepare(target, draft);
    const what =
      `Make the ${draft.type} draft "${draft.fields.title}" of "${path}" on ${target.site.name}${recorded}`;
    return {
      summary: before === null ? what : `${what}. ${before}`,
      changes: [
        ...Object.entries(draft.fields).map(([field, to]) => ({ field, from: null, to })),
        { field: "status", from: null, to: "draft" },
      ],
      revision: { [path]: sha },
      paths: [path],
      warnings: lasting,
      final: ONLY_MADE,
      state: { create, draft, sha, before },
    };
  },
  async run(
    { target_site_id, append_deployment, target_branch, ...args },
    ctx,
    { changes, state: { create, draft, sha, before } },
  ) {
    const path = markdownIn(ctx.site, args.path);
    const site_id = ctx.forSite(target_site_id).site.id;
    const made = await create(ctx.made);
    ctx.annotate({ result_id: made.id, changes });
    const { id, url, status } = made;
    const { type } = draft;
    const entry = { site_id, type, id, url, deployed_at: new Date(ctx.now()).toISOString() };
    const written = append_deployment ? await record(ctx, target_branch, path, entry) : null;
    const notes = [
      ...before === null ? [] : [before],
      ...draft.notes,
      ...written?.note === undefined ? [] : [written.note],
    ];
    return compared({
      ...joined(made, ...written ? [written.proof] : []),
      type,
      target_site_id: site_id,
      id,
      status,
      url,
      path,
      sha: written?.sha ?? sha,
      deployment_recorded: written?.sha !== undefined,
      ...written?.at,
      ...(notes.length > 0 ? { notes } : {}),
    });
  },
});
