/** Two posts or pages with one slug on a real WordPress, with the companion plugin or without it. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Args } from "../cms_kit.ts";
import { fresh, Real } from "./_wordpress.ts";

const open = { site_id: "open" };
const slugs = (warnings: readonly string[]) => warnings.filter((one) => one.startsWith("slug: "));
const slugOf = (title: string) => title.toLowerCase().replaceAll(" ", "-");

/** Makes it with its title or slug, and publishes it; what was told in both, and where it is found. */
async function gone(at: Real, tool: string, args: Args) {
  const made = await at.kit.preview(tool, { ...open, ...args });
  const { done: { id } } = await at.kit.write("rest", tool, { ...open, ...args });
  const [publish, name] = tool === "create_draft" ? ["publish_post", "post_id"] : ["publish_page", "page_id"];
  const target = { ...open, [name]: id };
  const preview = await at.kit.preview(publish, target);
  const url = preview.changes.find(({ field }) => field === "url")?.to;
  const { done, proof } = await at.kit.write<Args>("rest", publish, target);
  assert.equal(done["url"], url, "it is found where the preview said");
  assert.deepEqual([proof.live?.as_expected, slugs(proof.warnings)], [true, []]);
  const page = await fetch(String(url));
  assert.ok((await page.text()).includes(String(args["title"])), "visitors find it there");
  return {
    id,
    url: new URL(String(url)).pathname,
    made: slugs(made.warnings),
    going: slugs(preview.warnings),
  };
}

/** A slug that another one has is told when the second is made and before it goes live, where visitors then find it. */
export async function slugsTold(site: CmsSandbox, tools: readonly string[]): Promise<void> {
  await using at = await Real.open(site);
  for (const tool of tools) {
    const body = tool === "create_page_from_code" ? { html: "<p>x</p>" } : { content_html: "<p>x</p>" };
    const title = fresh("Dup");
    const slug = slugOf(title);
    const first = await gone(at, tool, { title, ...body });
    assert.deepEqual([first.url, first.made, first.going], [`/${slug}/`, [], []]);
    const noun = tool === "create_draft" ? "post" : "page";
    const has = `slug: the ${noun} "${title}" (${first.id}) has "${slug}" too; `;
    const second = await gone(at, tool, { title, ...body });
    assert.ok(second.made[0]?.startsWith(has), second.made.join());
    const asCode = tool === "create_page_from_code";
    const belongs =
      `slug: "${slug}" belongs to the ${noun} "${title}" (${first.id}), so visitors find this one as `;
    assert.equal(second.url, `/${slug}-2/`);
    assert.ok(second.going[0]?.startsWith(`${belongs}"${slug}-2"`), second.going.join());
    const other = fresh("Other");
    const third = await gone(at, tool, { title: other, slug, ...body });
    assert.ok(third.made[0]?.startsWith(has), third.made.join());
    assert.deepEqual([third.url, third.going.length], [`/${slug}-3/`, asCode ? 1 : 0]);
  }
}
