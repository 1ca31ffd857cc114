/** The client of a WordPress site: its account, users, terms and media, through its own REST API. */
import { GatewayError } from "../../core/errors.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { allOrThrow } from "../../core/async.ts";
import type { Id } from "../../core/ids.ts";
import type { Making } from "../../core/model.ts";
import { readIndex } from "./health.ts";
import { type Image, type MediaTexts, setMediaTexts, uploadImage } from "./rest/media.ts";
import { likelyTwins, otherTexts } from "./rest/media_twins.ts";
import {
  compareTerm,
  findTerms,
  listTerms,
  makeTerm,
  type NewTerm,
  readTerm,
  requireParentTerm,
  requireTermRight,
  type Taxonomy,
  type TermPick,
  type TermsQuery,
} from "./rest/terms.ts";
import { COMPANION, findReport, lacks } from "./companion/plugin.ts";
import { accountIfShown, listUsers, requireRight, type UsersQuery, whoami } from "./rest/users.ts";
import { WordPressClient } from "./rest/wordpress_client.ts";

/** What a site says of itself when it is greeted. */
interface Greeting {
  /** Whether the companion plugin says that the account lacks that right, whatever its role has. */
  lacks(right: string): boolean;
  readonly timezone: string | null;
}

const BARE = "no_companion";
const BARE_MS = 60 * 60_000;

/**
 * Greets the site by its companion plugin, which knows what WordPress keeps on a network of sites from all but its
 * administrators; where it has none, or one that does not answer, by the index of its API. Throws as readIndex.
 */
async function greet(wire: WordPressClient): Promise<Greeting> {
  const found = wire.cache.get<true>(BARE) ? null : await reportIfTold(wire);
  if (found?.timezone != null) return { lacks: (right) => lacks(found, right), timezone: found.timezone };
  const { time_zone: timezone, namespaces } = await readIndex(wire);
  const isBare = !namespaces.includes(COMPANION);
  if (isBare) wire.cache.set<true>(BARE, true, BARE_MS);
  const report = found ?? (isBare ? null : await reportIfTold(wire));
  return { lacks: (right) => report !== null && lacks(report, right), timezone };
}

/** The companion plugin's report; null where there is none, or it cannot be read. */
async function reportIfTold(wire: WordPressClient) {
  try {
    return await findReport(wire);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

/**
 * What can be done on a WordPress site beside its content. Every method throws E_UPSTREAM with the site's status
 * and the next step; wrong credentials always show as its status 401, whatever the site would have answered to nobody.
 */
export function clientOf(ctx: SiteContext) {
  const wire = new WordPressClient(ctx);
  return {
    whoami: () => whoami(wire),
    greet: () => greet(wire),
    listUsers: (query: UsersQuery) => listUsers(wire, query),

    listTerms: (taxonomy: Taxonomy, query: TermsQuery) => listTerms(wire, taxonomy, query),
    /**
     * Reads only: the term of that name; refuses where there is none and the account may not make it, and a parent
     * that is not there.
     */
    async findTerm(taxonomy: Taxonomy, name: string, parent?: Id): Promise<TermPick> {
      const [, picks] = await allOrThrow(
        accountIfShown(wire),
        findTerms(wire, taxonomy, [name], { at_once: true }),
        requireParentTerm(wire, parent),
      );
      await requireTermRight(wire, taxonomy, picks);
      return picks[0] ?? { name, id: null };
    },
    readTerm: (taxonomy: Taxonomy, id: number) => readTerm(wire, taxonomy, id),
    makeTerm: (taxonomy: Taxonomy, term: NewTerm, made: Making) => makeTerm(wire, taxonomy, term, made),
    compareTerm,

    /** Reads only: refuses an account that may not upload, or not describe what it uploaded. */
    async mayUpload(described: boolean): Promise<void> {
      await requireRight(wire, "upload_files", "upload media");
      if (described) await requireRight(wire, "edit_posts", "set the texts of an image");
    },
    likelyTwins: (image: Image) => likelyTwins(wire, image),
    otherTexts: (id: number, texts: MediaTexts) => otherTexts(wire, id, texts),
    uploadImage: (image: Image, made: Making) => uploadImage(wire, image, made),
    setMediaTexts: (id: number, texts: MediaTexts) => setMediaTexts(wire, id, texts),
  };
}
