/** The gateway under the bench: the whole service as main.ts starts it, over a store on disk, with sites and a token. */
import type { CmsSandbox } from "../sandbox/wordpress/start.ts";
import { freePort, type Server, start } from "./process.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** A running gateway. */
export interface Gateway extends Server {
  /** The text of a token that may do everything. */
  readonly token: string;
  /** A tool's result, over REST and confirmed. Throws an Error with its refusal. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Secrets as an operator would set them. */
export const newSecrets = () => ({
  MASTER_TOKEN: crypto.getRandomValues(new Uint8Array(32)).toHex(),
  ENCRYPTION_KEYS: crypto.getRandomValues(new Uint8Array(32)).toBase64(),
});

/** Three sites, as a call that lists them has them in most parts. */
export const THREE_SITES = ["acme", "bolt", "cove"].map((id) => ({
  id,
  name: id,
  platform: "cms",
  base_url: `https://${id}.example`,
}));

/**
 * Starts one with its store below `folder`; each site is a body of the admin API. `root` is the project that is
 * started, this one where nothing else is said.
 */
export async function startGateway(
  folder: string,
  sites: readonly Readonly<Record<string, unknown>>[],
  env: Readonly<Record<string, string>> = {},
  root?: string,
): Promise<Gateway> {
  const port = env.PORT ?? String(freePort());
  const url = `http://127.0.0.1:${port}`;
  const secrets = { ...newSecrets(), ...env };
  const master = secrets.MASTER_TOKEN;
  const server = await start(["main.ts"], url, "/healthz", {
    PORT: port,
    KV_PATH: `${folder}/store`,
    RATE_LIMIT_TOKEN: "0",
    RATE_LIMIT_SITE: "0",
    ...secrets,
  }, root);
  try {
    for (const site of sites) await ask(`${url}/admin/api/sites`, master, site);
    const everything = {
      name: "bench",
      env: "dev",
      allowed_sites: ["*"],
      allowed_tools: ["*"],
      max_risk: 4,
      owner_user_id: null,
    };
    const { token } = await ask(`${url}/admin/api/tokens`, master, everything) as { token: string };
    return {
      ...server,
      token,
      call: (tool, args) => ask(`${url}/api/v1/tools/${tool}`, token, { ...args, confirm: true }),
    };
  } catch (thrown) {
    await server[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Starts one with a single site: a WordPress and its administrator's account; `site` is the rest of its body. */
export function startOver(
  folder: string,
  cms: Pick<CmsSandbox, "base_url" | "users">,
  site: Readonly<Record<string, unknown>> & { readonly id: string },
): Promise<Gateway> {
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const body = { name: site.id, platform: "cms", base_url: cms.base_url, credentials, ...site };
  return startGateway(folder, [body], { ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1" });
}

/** The result of either API: of a POST where there is a body, else of a GET. */
async function ask(url: string, token: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!answer.ok) throw new Error(`${url}: ${answer.error.code}: ${answer.error.message}`);
  return answer.result;
}

/** Runs work in a folder of its own, which is removed. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await Deno.makeTempDir();
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
