/** Which builder's content visitors see of a post or page: the plugin tells, else Elementor, else what is put out. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { Builder } from "../../../core/model.ts";
import { readIndex } from "../health.ts";
import type { Kind } from "./records.ts";
import type { WordPressClient } from "./wordpress_client.ts";

/** What a record tells of its builder. */
interface Told {
  readonly site_ops_builder?: Builder | undefined;
  readonly meta: { readonly _elementor_edit_mode?: string | undefined };
}

/** What visitors see, as the record tells; null where it does not. */
export function builderTold(
  { site_ops_builder, meta: { _elementor_edit_mode: mode } }: Told,
): Builder | null {
  if (site_ops_builder !== undefined) return site_ops_builder;
  return mode === undefined ? null : mode === "builder" ? "visual" : "block";
}

const NAMESPACE = "elementor/v1";
const TTL_MS = 60_000;
const RENDERED = z.object({ content: z.object({ rendered: z.string() }) });

/** The same where the record did not tell, from what the site puts out; null where that cannot be had either. */
export async function builderSeen(wire: WordPressClient, kind: Kind, id: number): Promise<Builder | null> {
  try {
    const has = await wire.cache.once(NAMESPACE, TTL_MS, async () => {
      const { namespaces } = await readIndex(wire);
      return namespaces.includes(NAMESPACE);
    });
    if (!has) return "block";
    const query = { context: "edit", _fields: "content.rendered" };
    const { data } = await wire.get(`wp/v2/${kind}/${id}`, query, RENDERED);
    return data.content.rendered.includes(`data-elementor-id="${id}"`) ? "visual" : "block";
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null; // a plugin's shortcode can fail there
    throw thrown;
  }
}
