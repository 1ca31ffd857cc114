/** A stand-in with one draft on it, ready to misbehave. */
import { startWordPressStandIn, type WordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { type World, worldOf } from "./_world.ts";
import { draft } from "./_scenarios.ts";

/** The REST path of a post. */
export const POST = (id: number) => new RegExp(`^/wp/v2/posts/${id}$`);
/** Reads of a post. */
export const gets = (id: number) => ({ method: "GET", path: POST(id) });
/** Writes to a post. */
export const posts = (id: number) => ({ method: "POST", path: POST(id) });

/** A fresh stand-in with one draft on it. */
export async function withDraft(
  use: (at: { cms: WordPressStandIn; world: World; id: number; status: () => string }) => Promise<void>,
): Promise<void> {
  await using cms = await startWordPressStandIn();
  const world = worldOf(cms);
  const { id } = await draft(world);
  cms.clear();
  await use({ cms, world, id, status: () => cms.posts.get(id)!.status });
}
