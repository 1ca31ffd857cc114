/** The requests that may be sent at all: nothing is deleted, approved or published, no map is made, no other workspace is reached. */
import { isFields } from "../../core/values.ts";
import type { PolicyContext } from "../_connector/connector.ts";
import type { Outgoing } from "../_http/request.ts";

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
const JOB = [
  "keyword",
  "content_type",
  "content_brief_id",
  "topical_map_id",
  "depth",
  "tone",
  "language",
  "custom_variables",
];
const AUDIT = ["source_type", "source_url", "pasted_content", "target_keyword", "competitor_urls"];
const matching = (route: string) => new RegExp(`^${route}$`);
const READ_PATHS = READS.map(matching);
/** What each write may say. */
const WRITES: readonly (readonly [path: RegExp, fields: readonly string[]])[] = [
  [matching("content-jobs"), JOB],
  [matching("content-audits"), AUDIT],
  [matching(`content-(briefs|audits|jobs)/${ID}/rerun`), ["from_step"]],
];

/** The address of the list of workspaces, below which everything else is. */
export const workspacesAddress = (settings: TopicMapSettings): string =>
  `${settings.TOPICMAP_BASE_URL}/v1/workspaces`;

/** Why a request may never be sent, or null. */
export function forbidden(out: Outgoing, { site, settings }: PolicyContext<TopicMapSettings>): string | null {
  const read = out.method === "GET" && out.effect === "read";
  const write = out.method === "POST" && out.effect === "write";
  if (!read && !write) return `the pipeline is never asked to ${out.method} there`;
  const { pathname, search } = new URL(out.url);
  if (read && (out.json ?? out.body) !== undefined) return "a read has no body";
  const root = new URL(workspacesAddress(settings)).pathname;
  if (pathname === root) return read ? null : "workspaces are only listed";
  const workspace = site?.topicmap_workspace_id ?? null;
  if (workspace === null) return "the call has no workspace";
  const own = `${root}/${workspace}/`;
  if (!pathname.startsWith(own)) return "it reaches beyond the site's workspace";
  const path = pathname.slice(own.length);
  if (read && READ_PATHS.some((one) => one.test(path))) return null;
  const known = write && WRITES.find(([one]) => one.test(path))?.[1];
  if (!known) return "it is no route that a tool needs";
  return search === "" ? strangeBody(out, known) : "a write has no query";
}

function strangeBody({ json, body }: Outgoing, known: readonly string[]): string | null {
  if (!isFields(json) || body !== undefined) return "its body is not a list of fields";
  const stranger = Object.keys(json).find((name) => !known.includes(name));
  return stranger === undefined ? null : `the field "${stranger}" is never sent`;
}
