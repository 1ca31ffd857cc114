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

/**
 * What can be done on a WordPress site beside its content. Every method throws E_UPSTREAM with the site's status
 * and the next step; wrong credentials always show as its status 401, whatever the site would have answered to nobody.
 */
export function clientOf(ctx: SiteContext) {
  const wire = new WordPressClient(ctx);
  return {
    whoami: () => whoami(wire),
    index: () => readIndex(wire),
    /**
     * Which of these rights the companion plugin says the account lacks, whatever its role has: on a network of sites
     * WordPress keeps some from all but its administrators. None where the plugin does not tell.
     */
    async withheld(rights: readonly string[], namespaces: readonly string[]): Promise<readonly string[]> {
      if (!namespaces.includes(COMPANION)) return [];
      const report = await findReport(wire).catch((thrown) => {
        if (thrown instanceof GatewayError) return null;
        throw thrown;
      });
      return report === null ? [] : rights.filter((right) => lacks(report, right));
    },
    listUsers: (query: UsersQuery) => listUsers(wire, query),

    listTerms: (taxonomy: Taxonomy, query: TermsQuery) => listTerms(wire, taxonomy, query),
    /**
     * Reads only: the term of that name; refuses where there is none and the account may not make it, and a parent
     * that is not there.
     */
    async findTerm(taxonomy: Taxonomy, name: string, parent?: Id): Promise<TermPick> {
      const [, picks] = await allOrThrow(
        accountIfShown(wire),
        findTerms(wire, taxonomy, [name], true),
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
