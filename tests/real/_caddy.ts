/** Caddy in front of gateways, configured by docs/deploy/Caddyfile. */
import { existsSync } from "node:fs";
import { freePort } from "../../bench/process.ts";

/** The file as it is shipped. */
export const CADDYFILE = new URL("../../docs/deploy/Caddyfile", import.meta.url).pathname;

/** Whether Caddy is on this machine. */
export const hasCaddy = (Deno.env.get("PATH") ?? "").split(":").some((folder) =>
  existsSync(`${folder}/caddy`)
);

/** A running Caddy. */
export interface Caddy extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts it before gateways on those ports of this machine; it keeps what it keeps in that folder, and may not listen yet. */
export function startCaddy(folder: string, ports: readonly number[]): Caddy {
  const url = `http://127.0.0.1:${freePort()}`;
  const child = new Deno.Command("caddy", {
    args: ["run", "--config", CADDYFILE],
    env: {
      CADDY_ADMIN: "off",
      CADDY_SITE: url,
      CADDY_GATEWAYS: ports.map((port) => `127.0.0.1:${port}`).join(" "),
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}
