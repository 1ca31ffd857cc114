/** The git log of a file, and its text at two commits. */
import { allOrThrow } from "../../core/async.ts";
import { textIn } from "../../core/bytes.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import { counted, formOf, oneLine } from "../../core/one_line.ts";
import { refName } from "../../rules/branch.ts";
import { sourcePath, underPrefix } from "../../rules/path.ts";
import type { SiteContext } from "../_connector/connector.ts";
import {
  type HistoryClient,
  type HistoryOf,
  type VersionList,
  VERSIONS_PER_PAGE,
  type VersionTexts,
} from "../_content/history.ts";
import { repositoryOf } from "./client.ts";
import { RepoError } from "./errors.ts";
import { commitsOf } from "./last_change.ts";
import type { RepoSettings } from "./settings.ts";
import { noRef, RepoWire } from "./wire.ts";

const NAME_CHARACTERS = 60;
const MESSAGE_CHARACTERS = 100;
const BYTES_MAX = 1024 * 1024;

/** The history of a site's files (docs/upstreams/github.md, "Contents, git objects, branches"). */
export function historyOf(ctx: SiteContext<RepoSettings>): HistoryClient {
  const wire = new RepoWire(ctx, ctx.site.repo ?? "");
  const client = repositoryOf(ctx);
  const pathOf = ({ path = "" }: HistoryOf) => sourcePath(path, "path");
  return {
    async list(of, page) {
      const path = underPrefix(ctx.site.repo_prefix, pathOf(of), "path");
      const ref = of.ref === undefined ? await client.deployedBranch() : refName(of.ref, "ref");
      return await list(wire, { path, ref, given: of.ref !== undefined }, page);
    },
    async pair(of, from, to) {
      const path = pathOf(of);
      const [older, newer] = [commitName(from, "from"), to === undefined ? null : commitName(to, "to")];
      const at = async (field: string, commit: string): Promise<VersionTexts> => {
        try {
          return { id: commit, at: null, by: null, texts: { content: await text(path, commit) } };
        } catch (thrown) {
          throw namedBy(field, thrown);
        }
      };
      const text = async (path: string, ref?: string): Promise<string> => {
        try {
          const { bytes, sha } = await client.read(path, BYTES_MAX, ref);
          return textIn(bytes) ??
            `(${counted(bytes.length, "byte")} that ${formOf(bytes.length, "is", "are")} no text, ${sha})`;
        } catch (thrown) {
          if (!(thrown instanceof GatewayError) || thrown.code !== "E_NOT_FOUND") throw thrown;
          if (!thrown.message.startsWith("path:")) throw thrown;
          return ""; // not there yet, or deleted
        }
      };
      const now = async (): Promise<VersionTexts> => ({
        ...{ id: null, at: null, by: null },
        texts: { content: await text(path, of.ref) },
      });
      return await allOrThrow(at("from", older), newer === null ? now() : at("to", newer));
    },
  };
}

/** What is said of a commit that is not there: it was not given as a branch. */
function namedBy(field: string, thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || !thrown.message.startsWith("ref: ")) return thrown;
  return thrown.saying(`${field}: ${thrown.message.slice("ref: ".length)}`);
}

const NAMED = /^[0-9a-f]{40}$/;

function commitName(id: Id, field: string): string {
  const name = String(id).toLowerCase();
  if (NAMED.test(name)) return name;
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: expected the 40 characters of a commit, as get_content_history answers them without from`,
  );
}

interface Log {
  readonly path: string;
  readonly ref: string;
  readonly given: boolean;
}

async function list(wire: RepoWire, { path, ref, given }: Log, page: number): Promise<VersionList> {
  const query = { sha: ref, path, per_page: VERSIONS_PER_PAGE, page };
  let found: Awaited<ReturnType<typeof commitsOf>>;
  try {
    found = await commitsOf(wire, query);
  } catch (thrown) {
    if (!(thrown instanceof RepoError)) throw thrown;
    if (thrown.upstream === 404) return await noRef(wire, ref, given);
    if (!thrown.empty) throw thrown;
    found = [];
  }
  const items = found.map(({ commit_sha, own, by, at, message }) => ({
    id: commit_sha,
    at,
    by: by === null ? null : oneLine(by, NAME_CHARACTERS),
    gateway: own,
    message: oneLine(message, MESSAGE_CHARACTERS),
  }));
  const isNothing = items.length === 0 && page === 1;
  return {
    items,
    total: null,
    next: items.length === VERSIONS_PER_PAGE ? page + 1 : null,
    kept: true,
    ...isNothing &&
      { note: `No commit of "${ref}" touched that path; list_static_files shows which there are` },
  };
}
