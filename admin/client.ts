/** How the command line talks to the admin API of a running gateway. */
import { z } from "zod";
import { isLoopback, localAddress } from "../core/env_values.ts";
import { CommandError, type Terminal } from "./terminal.ts";

/** The admin API, as far as commands use it. A refusal is thrown as a CommandError `<code>: <message>`. */
export interface AdminClient {
  /** The result of a call; `path` is below /admin/api. */
  call(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<unknown>;
  /** The answer as bytes. */
  stream(path: string): Promise<ReadableStream<Uint8Array>>;
}

const envelope = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);

/** Where `dev` and `start` listen by default, or "" where HOST and PORT make no address. */
function own(env: Terminal["env"]): string {
  try {
    return localAddress(env("HOST") || "127.0.0.1", Number(env("PORT") || 8000));
  } catch {
    return "";
  }
}

/** Whether the master token may be sent there over plain http. */
const isHere = (text: string) => isLoopback(URL.parse(text)?.hostname ?? "");

/**
 * The address of the gateway: as given, or as GATEWAY_URL says, or this machine's. BASE_URL is where clients reach it,
 * often through a proxy that is down just when an operator is needed, so it is asked only of a HOST that no loopback
 * address reaches.
 */
function address(given: string | undefined, env: Terminal["env"]): string {
  const local = own(env);
  const text = given ?? (env("GATEWAY_URL") || (isHere(local) ? local : env("BASE_URL") || local));
  const url = URL.parse(text);
  if (
    url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash
  ) {
    throw new CommandError("The gateway's address must be like https://gateway.example.com");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new CommandError(
      `The master token is not sent over plain http to ${url.host}; use its https address`,
    );
  }
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** What a proxy says where nobody behind it answers. */
const OF_PROXIES = [502, 503, 504];

/** A client with the master token. Throws a CommandError where the token or the address is missing or wrong. */
export function adminClient(terminal: Terminal, url: string | undefined): AdminClient {
  const base = address(url, terminal.env);
  const own = terminal.env("MASTER_TOKEN")?.trim();
  const token = own || terminal.kept("MASTER_TOKEN");
  if (!token) throw new CommandError("MASTER_TOKEN is not set, and data/secrets.json does not hold one");

  async function ask(method: string, path: string, body?: unknown): Promise<Response> {
    const request = new Request(`${base}/admin/api/${path}`, {
      method,
      redirect: "manual",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    try {
      return await terminal.fetch(request);
    } catch {
      const known = terminal.env("BASE_URL");
      const way = known && url === undefined && URL.parse(known)?.origin !== base
        ? `: --url ${known}`
        : " with --url";
      throw new CommandError(`No gateway answers at ${base}; start it, or name its address${way}`);
    }
  }

  async function result(response: Response): Promise<unknown> {
    const read = envelope.safeParse(await parsed(response));
    if (!read.success) throw noGateway(response.status);
    if (read.data.ok) return read.data.result;
    const { code, message } = read.data.error;
    const source = own ? "the environment" : "data/secrets.json, for it is not set in the environment";
    const way = `; the gateway at ${base} was sent the MASTER_TOKEN of ${source}`;
    throw new CommandError(`${code}: ${message}${code === "E_AUTH" ? way : ""}`);
  }

  const noGateway = (status: number) =>
    new CommandError(
      OF_PROXIES.includes(status)
        ? `A proxy answers at ${base} (status ${status}), and no gateway behind it did; ask one at its own address ` +
          "(--url http://127.0.0.1:8000), or start it"
        : `What answers at ${base} is no gateway (status ${status}); check --url`,
    );

  return {
    call: async (method, path, body) => await result(await ask(method, path, body)),
    stream: async (path) => {
      const response = await ask("GET", path);
      const lines = response.headers.get("content-type")?.startsWith("application/x-ndjson");
      if (response.ok && lines && response.body) return response.body;
      await result(response);
      throw noGateway(response.status);
    },
  };
}

async function parsed(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}
