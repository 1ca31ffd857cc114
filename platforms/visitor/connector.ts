/** A site as its visitors get it: its own pages, read without signing in, and nothing beside them. */
import { onDemand } from "../../core/async.ts";
import { unreadFor } from "../../rules/visitor_address.ts";
import { connector, type SiteContext } from "../_connector/connector.ts";
import type { Visitor } from "./client.ts";

/** The headers a visitor's request may carry: none of them could be a credential. */
const HEADERS: ReadonlySet<string> = new Set(["accept", "user-agent"]);

// What reads pages is not needed to start.
async function visitorOf(ctx: SiteContext): Promise<Visitor> {
  const { Visitor } = await import("./client.ts");
  return new Visitor(ctx);
}

/** What visitors are expected to be shown after a write (expected.ts): loaded once something was written, for it parses HTML. */
export const expectations = onDemand(() => import("./expected.ts"));

export default connector({
  name: "visitor",
  product: "the site as visitors see it",
  scope: "site",
  origins: ({ site }) => site?.base_url ? [site.base_url] : [],
  policy(out) {
    const isRead = (out.method === "GET" || out.method === "HEAD") && out.effect === "read";
    if (!isRead || out.body !== undefined || out.json !== undefined) return "what visitors see is only read";
    const other = Object.keys(out.headers ?? {}).find((name) => !HEADERS.has(name.toLowerCase()));
    if (other !== undefined) {
      return `what visitors see is asked for without credentials, and "${other}" could be one`;
    }
    if (out.redirects !== "answered") {
      return "each address that a redirect leads to is judged before it is asked";
    }
    return unreadFor(new URL(out.url));
  },
  connect: visitorOf,
  checks: [{
    kinds: ["static", "sitebuilder"],
    names: ["address"],
    run: async (ctx, limitMs) => await (await import("./checks.ts")).addressCheck(ctx, limitMs),
  }],
});
