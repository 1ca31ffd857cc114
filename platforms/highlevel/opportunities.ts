/** Opportunities of a location: by the search with filters and large pages, or by the older one where that does not serve. */
import type { Days } from "./days.ts";
import { within } from "./days.ts";
import * as by from "./opportunity_search.ts";
import type { Page, Rows } from "./pages.ts";
import type { Opportunity } from "./rows.ts";
import { CrmReader } from "./reader.ts";
import { opportunityPage, opportunityQuery } from "./search.ts";

/** How long it is known which search serves. */
const KNOWN_MS = 60 * 60_000;
const KEY = "opportunity search";
/** What has ended. */
const DECIDED = ["won", "lost"] as const;

/** Whether the search with filters serves; not known before it was asked. */
type Serves = { readonly limit: number; readonly proven: boolean } | "no";

/** Reads opportunities. */
export class OpportunityReader extends CrmReader {
  /** Those that were made on the days, the newest first, and some of the days beside them. */
  async opportunities(days: Days, pipeline?: string): Promise<Rows<Opportunity>> {
    const span: by.Span = { by: "created_at", from: days.from, to: days.to, pipeline };
    const found = await this.#searched(span);
    if (found !== null && (found.rows.length > 0 || !found.complete)) return found;
    const listed = await this.#listed((cursor) => opportunityQuery({ days, pipeline }, cursor));
    // Nothing was found where there is something: the search does not understand what it is asked.
    if (found !== null && !by.findsAll([], listed.rows, span, this.wire.ctx.now())) this.#note("no");
    return listed;
  }

  /**
   * Those that are won or lost now and became so between two moments, the last first; `known` are rows that were read
   * before, by which the search is judged. Without the search all that were ever won or lost are read, as far as the
   * call's requests go.
   */
  async decided(span: Pick<Days, "from" | "to">, known: readonly Opportunity[]): Promise<Rows<Opportunity>> {
    const asked: by.Span = { by: "changed_at", from: span.from, to: span.to, statuses: DECIDED };
    const found = await this.#searched(asked);
    const serves = this.#known();
    const proven = found !== null && (found.rows.length > 0 || (serves !== "no" && serves?.proven));
    const now = this.wire.ctx.now();
    if (proven && (!found.complete || by.findsAll(found.rows, known, asked, now))) return found;
    const [won, lost] = [
      await this.#listed((cursor) => opportunityQuery({ status: DECIDED[0] }, cursor)),
      await this.#listed((cursor) => opportunityQuery({ status: DECIDED[1] }, cursor)),
    ];
    const rows = [...won.rows, ...lost.rows].filter((row) =>
      row.changed_at === null || within(row.changed_at, span)
    );
    return {
      rows,
      total: null,
      dropped: won.dropped + lost.dropped,
      complete: [won, lost].every(({ rows, dropped, total, complete }) =>
        complete && rows.length + dropped >= (total ?? 0)
      ),
    };
  }

  #known(): Serves | undefined {
    return this.wire.ctx.cache.get<Serves>(KEY);
  }

  #note(serves: Serves): void {
    this.wire.ctx.cache.set(KEY, serves, KNOWN_MS);
  }

  #listed(query: (cursor: string | null) => ReturnType<typeof opportunityQuery>): Promise<Rows<Opportunity>> {
    return this.collect(
      "opportunities",
      (cursor) => this.page({ route: "opportunities", query: query(cursor) }, opportunityPage),
    );
  }

  /** What the search finds; null where it does not serve, which is remembered. Throws E_UPSTREAM. */
  async #searched(span: by.Span): Promise<Rows<Opportunity> | null> {
    const known = this.#known();
    if (known === "no") return null;
    const limits = known === undefined ? by.SEARCH_LIMITS : [known.limit];
    for (const limit of limits) {
      try {
        return await this.#pages(span, limit);
      } catch (thrown) {
        if (thrown instanceof by.NotAsAsked) break;
        if (!by.refusesSearch(thrown)) throw thrown;
        if (!by.refusesLimit(thrown)) break;
      }
    }
    this.#note("no");
    return null;
  }

  #pages(span: by.Span, most: number): Promise<Rows<Opportunity>> {
    let limit = most;
    return this.collect("opportunities", async (cursor): Promise<Page<Opportunity> | null> => {
      const json = by.searchBody(span, limit, cursor);
      const read = by.searchPage(span, limit, cursor);
      const page = await this.page({ route: "opportunity_search", json }, read) as by.SearchPage | null;
      if (page === null) return null;
      if (!page.fits || !page.goes_on) throw new by.NotAsAsked();
      const found = page.rows.length + page.dropped;
      // Fewer than were asked for, and not all: so many are a page here, whatever is asked for.
      if (cursor === null && found > 0 && found < limit && found < (page.total ?? 0)) limit = found;
      if (found > 0) this.#note({ limit, proven: true });
      else if (this.#known() === undefined) this.#note({ limit, proven: false });
      return page;
    });
  }
}
