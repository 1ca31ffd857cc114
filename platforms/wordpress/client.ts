/** The client of a CMS site (WordPress, through its own REST API). */
import type { Moment } from "../../rules/schedule.ts";
import type { Platform, PublishGrant } from "../platform.ts";
import type {
  DraftFields,
  DraftList,
  DraftsQuery,
  Post,
  PostHead,
  PreparedDraft,
  Verb,
  Written,
} from "../post.ts";
import { together } from "../../lib/async.ts";
import { cmsForbids } from "./egress.ts";
import { type Health, health, type Index, readIndex } from "./health.ts";
import { type Image, type Media, type MediaTexts, setMediaTexts, uploadImage } from "./rest/media.ts";
import { type CmsPages, pagesOf } from "./pages/client.ts";
import { createDraft, listDrafts, prepareDraft, readPost, updateDraft } from "./rest/posts.ts";
import { checkState, head, type Kind, publish, schedule, unschedule } from "./rest/states.ts";
import {
  findTerms,
  listTerms,
  makeTerm,
  type NewTerm,
  readTerm,
  requireTermRight,
  type Taxonomy,
  type Term,
  type TermList,
  type TermPick,
  type TermsQuery,
} from "./rest/terms.ts";
import { listUsers, type Me, requireRight, type UserList, type UsersQuery, whoami } from "./rest/users.ts";
import { Wire } from "./rest/wire.ts";

export { COMPANION_NEEDED, type CompanionHealth, lacks } from "./companion/plugin.ts";
export type { Health, Index } from "./health.ts";
export type { Companion, Part, PartName } from "./parts.ts";
export type { Image, Media } from "./rest/media.ts";
export type { Me } from "./rest/users.ts";
export type { Kind } from "./rest/states.ts";

/**
 * What can be done on a CMS site. Every method throws E_UPSTREAM with the site's status and way out; wrong credentials
 * always show as its status 401, whatever the site would have answered to nobody.
 */
export interface CmsClient {
  whoami(): Promise<Me>;
  index(): Promise<Index>;
  /** Probes that are over after that many milliseconds, whatever the site does; never throws. */
  health(limitMs: number): Promise<Health>;
  listUsers(query: UsersQuery): Promise<UserList>;

  getPost(id: number): Promise<Post>;
  listDrafts(query: DraftsQuery): Promise<DraftList>;
  prepareDraft(fields: DraftFields): Promise<PreparedDraft>;
  createDraft(draft: PreparedDraft): Promise<Written>;
  updateDraft(id: number, draft: PreparedDraft): Promise<Written>;

  /** Reads only: refuses what the state forbids (E_FORBIDDEN_OP). */
  check(kind: Kind, id: number, verb: Verb, moment?: Moment): Promise<PostHead>;
  schedule(kind: Kind, id: number, moment: Moment): Promise<Written>;
  unschedule(kind: Kind, id: number): Promise<Written>;
  publish(kind: Kind, id: number, grant: PublishGrant): Promise<Written>;

  listTerms(taxonomy: Taxonomy, query: TermsQuery): Promise<TermList>;
  /** Reads only: the term of that name; refuses where there is none and the account may not make it. */
  findTerm(taxonomy: Taxonomy, name: string): Promise<TermPick>;
  readTerm(taxonomy: Taxonomy, id: number): Promise<Term>;
  makeTerm(taxonomy: Taxonomy, term: NewTerm): Promise<{ term: Term; created: boolean }>;

  /** Reads only: refuses an account that may not upload. */
  mayUpload(): Promise<void>;
  uploadImage(image: Image): Promise<Media>;
  setMediaTexts(id: number, texts: MediaTexts): Promise<Media>;

  readonly pages: CmsPages;
}

function clientOf(wire: Wire, within: (limitMs: number) => Wire): CmsClient {
  return {
    whoami: () => whoami(wire),
    index: () => readIndex(wire),
    health: (limitMs) => health(within(limitMs)),
    listUsers: (query) => listUsers(wire, query),
    getPost: (id) => readPost(wire, id),
    listDrafts: (query) => listDrafts(wire, query),
    prepareDraft: (fields) => prepareDraft(wire, fields),
    createDraft: (draft) => createDraft(wire, draft as Parameters<typeof createDraft>[1]),
    updateDraft: (id, draft) => updateDraft(wire, id, draft as Parameters<typeof updateDraft>[2]),
    check: async (kind, id, verb, moment) => head(await checkState(wire, kind, id, verb, moment)),
    schedule: (kind, id, moment) => schedule(wire, kind, id, moment),
    unschedule: (kind, id) => unschedule(wire, kind, id),
    publish: (kind, id, grant) => publish(wire, kind, id, grant),
    listTerms: (taxonomy, query) => listTerms(wire, taxonomy, query),
    async findTerm(taxonomy, name) {
      const [me, picks] = await together(whoami(wire), findTerms(wire, taxonomy, [name]));
      requireTermRight(me, taxonomy, picks);
      return picks[0] ?? { name, id: null };
    },
    readTerm: (taxonomy, id) => readTerm(wire, taxonomy, id),
    makeTerm: (taxonomy, term) => makeTerm(wire, taxonomy, term),
    mayUpload: async () => requireRight(await whoami(wire), "upload_files", "upload media"),
    uploadImage: (image) => uploadImage(wire, image),
    setMediaTexts: (id, texts) => setMediaTexts(wire, id, texts),
    pages: pagesOf(wire),
  };
}

/** WordPress. Throws E_INTERNAL where the site has no credentials or no base_url. */
export const cms: Platform<CmsClient> = {
  name: "cms",
  connect: (reach) => clientOf(new Wire(reach), (limitMs) => new Wire(reach, reach.now() + limitMs)),
  forbids: cmsForbids,
};
