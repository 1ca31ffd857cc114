/** The requests that may be sent at all: nothing is deleted, approved or published, no map is made, no other workspace is reached. */
import type { PolicyContext } from "../connector.ts";
import type { Outgoing } from "../request.ts";

/** The settings, by their names. */
export interface TopicMapSettings extends Readonly<Record<string, string | null>> {
  readonly TOPICMAP_BASE_URL: string | null;
  readonly TOPICMAP_BOT_TOKEN: string | null;
}

const ID = "[A-Za-z0-9_-]{1,64}";
const READS = [
  "topical-maps",
  `topical-maps/${ID}`,
  `topical-maps/${ID}/knowledge-graph`,
  "content-briefs",
  `content-briefs/${ID}`,
  "content-audits",
  `content-audits/${ID}`,
  "content-jobs",
  `content-jobs/${ID}`,
  `content-jobs/${ID}/output`,
  "content-types",
];
const WRITES = [
  `content-briefs/${ID}/rerun`,
  "content-audits",
  `content-audits/${ID}/rerun`,
  "content-jobs",
  `content-jobs/${ID}/rerun`,
];
const oneOf = (routes: readonly string[]) => new RegExp(`^(${routes.join("|")})$`);
const READ_PATHS = oneOf(READS);
const WRITE_PATHS = oneOf(WRITES);

/** The address of the list of workspaces, below which everything else is. */
export const workspacesAddress = (settings: TopicMapSettings): string =>
  `${settings.TOPICMAP_BASE_URL}/v1/workspaces`;

/** Why a request may never be sent, or null. */
export function forbidden(out: Outgoing, { site, settings }: PolicyContext<TopicMapSettings>): string | null {
  const read = out.method === "GET" && out.effect === "read";
  const write = out.method === "POST" && out.effect === "write";
  if (!read && !write) return `the pipeline is never asked to ${out.method} there`;
  const { pathname } = new URL(out.url);
  const root = new URL(workspacesAddress(settings)).pathname;
  if (pathname === root) return read ? null : "workspaces are only listed";
  const workspace = site?.topicmap_workspace_id ?? null;
  if (workspace === null) return "the call has no workspace";
  const own = `${root}/${workspace}/`;
  if (!pathname.startsWith(own)) return "it reaches beyond the site's workspace";
  const listed = (read ? READ_PATHS : WRITE_PATHS).test(pathname.slice(own.length));
  return listed ? null : "it is no route that a tool needs";
}
