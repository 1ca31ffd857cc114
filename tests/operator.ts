/** An operator in front of a whole gateway: the admin API, and the command line over it. */
import { runCommand } from "../admin/commands.ts";
import { CONNECTORS } from "./connectors.ts";
import { type Kit, MASTER } from "./kit.ts";

/** What the admin API answers. */
export interface Reply<Result> {
  readonly ok: boolean;
  readonly result: Result;
  readonly error: { readonly code: string; readonly message: string };
}

/** Asks the admin API, with the master token where no other is given. */
export async function ask<Result = Readonly<Record<string, unknown>>>(
  gw: Pick<Kit, "http">,
  method: string,
  path: string,
  body?: unknown,
  token = MASTER,
): Promise<Reply<Result>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } };
  return await (await gw.http(`/admin/api/${path}`, init)).json();
}

/** Runs a command; answers its exit code and what it printed. */
export async function admin(gw: Pick<Kit, "http">, ...args: string[]) {
  const printed = { out: "", err: "" };
  const code = await runCommand(args, {
    env: (name) => name === "MASTER_TOKEN" ? MASTER : undefined,
    stdin: () => Promise.resolve(""),
    out: (text) => void (printed.out += String(text)),
    err: (text) => void (printed.err += text),
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? {} : { body: await request.text() };
      return await gw.http(`${pathname}${search}`, { method, headers, ...body });
    },
    read: () => Promise.reject(new Error("no file is read")),
    kept: () => null,
    wait: () => Promise.resolve(false),
  }, CONNECTORS);
  return { code, ...printed };
}
