/** What stands after a site's own tool made something new: a page, and whether all of it was stored. */
import { contentStates } from "../content.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Found } from "./compared.ts";
import { type ReadBack, readerOf, readWith, unproven, type Verdict } from "./read_back.ts";
import type { Resolved } from "./resolved.ts";
import { countElements, structureOf } from "./structure.ts";
import type { ToolServers } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

const NOT_NAMED = "The tool does not say which page or post it made";

/** The read-back of a write that makes a page or a post. */
export function newReadBack(
  { targetArgs }: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): ReadBack {
  return {
    before: () => Promise.resolve(),
    async after(payload) {
      const id = payload === null ? null : madeId(payload);
      if (id === null) return unproven(NOT_NAMED);
      try {
        const state = await (await ctx.use(contentStates)).find(id);
        if (state === null) return await unread(id, payload as Fields, ctx, ports, servers);
        ctx.note({ result_id: id });
        const changes = [{
          field: `page ${id}`,
          from: null,
          to: { status: state.status, title: state.title },
        }];
        const found = await stored(targetArgs, id, ctx, ports, servers);
        const live = ["published", "private"].includes(state.status)
          ? [
            `Page ${id} is public: the site's own tool made it so, though nothing asked for it; take it back in the CMS`,
          ]
          : [];
        const { warnings = [], ...verdict } = live.length > 0 ? { ...found, verified: false } : found;
        return { ...verdict, warnings: [...live, ...warnings], changes, changed: true };
      } catch {
        return unproven(`What was made, ${id}, could not be read back`);
      }
    },
  };
}

/** What is neither a page nor a post: of another kind where the site's own tool shows it, else not kept. */
async function unread(
  id: number,
  { post_id, page_id }: Fields,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Verdict> {
  const why = `What was made, ${id}, is neither a page nor a post that can be read`;
  const reader = readerOf(ports, ctx.site.id, "get-page-structure");
  // An id alone may be one of a menu, a term, a setting.
  const isPost = (post_id ?? page_id) !== undefined;
  if (reader === undefined || !isPost) return unproven(why);
  if (await readWith(servers, reader, { [reader.page ?? "post_id"]: id }) !== null) return unproven(why);
  return {
    verified: false,
    warnings: [`The tool reports that it made ${id}, which the site does not have`],
    changes: [],
    changed: false,
  };
}

/** The id of what was made, as tools name it. */
function madeId(payload: unknown): number | null {
  if (typeof payload !== "object" || payload === null) return null;
  const { post_id, page_id, id } = payload as Fields;
  const found = Number(post_id ?? page_id ?? id);
  return Number.isSafeInteger(found) && found > 0 ? found : null;
}

/** Whether as many elements are stored as were sent; that the page is there, where none were. */
async function stored(
  args: Fields,
  id: number,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Found> {
  const sent = countElements(args.structure);
  if (sent === 0) return { verified: true };
  const reader = readerOf(ports, ctx.site.id, "get-page-structure");
  const payload = reader && await readWith(servers, reader, { [reader.page ?? "post_id"]: id });
  if (payload === undefined || payload === null) {
    return { verified: null, reason: "Its elements could not be read back" };
  }
  const there = structureOf(payload).elements.size;
  if (there >= sent) return { verified: true };
  return { verified: false, warnings: [`structure: ${sent} elements were sent and ${there} are stored`] };
}
