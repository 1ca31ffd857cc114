/** Tags: how many contacts carry each. */
import { counted } from "../../core/one_line.ts";
import { each } from "../../platforms/highlevel/budget.ts";
import { type Call, noteDropped, reasonOf } from "./_read.ts";

/** How many tags one call counts. */
export const TAGS_MAX = 50;

/** The tags from `offset` on, by their names, of which those are told that fewer contacts carry than `threshold`. */
export async function tagHygiene(
  { client, notes }: Call,
  threshold: number,
  offset: number,
  most = TAGS_MAX,
) {
  const { rows, dropped } = await client.tags();
  noteDropped(notes, dropped, "tag");
  const tags = [...new Map(rows.map((tag) => [tag.id, tag])).values()]
    .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1);
  const asked = tags.slice(offset, offset + most);
  client.progress.expect(asked.length);
  const looked = await each(asked, async (tag) => ({
    ...tag,
    uses: await client.countContacts([{ field: "tags", operator: "eq", value: tag.name }]),
  }));
  const known = looked.filter((tag): tag is typeof tag & { uses: number } => tag.uses !== null);
  const underused = known.filter(({ uses }) => uses < threshold)
    .sort((a, b) => a.uses - b.uses || (a.name < b.name ? -1 : 1));
  const next = offset + known.length < tags.length ? offset + known.length : null;
  const whole = known.length === asked.length;
  if (next !== null) {
    const why = whole ? `a call counts at most ${most}` : reasonOf(client);
    notes.lack(
      `${known.length} of ${
        counted(tags.length, "tag")
      } were counted, because ${why}: unused and underused are of these ` +
        `alone; call again with offset ${next} for the next`,
    );
  }
  return {
    threshold,
    tags_total: tags.length,
    unused: known.filter(({ uses }) => uses === 0).length,
    underused: underused.map(({ id, name, uses }) => ({ id, name, uses })),
    sampling: { limit: most, offset, examined: known.length, truncated: next !== null },
    next_offset: next,
  };
}
