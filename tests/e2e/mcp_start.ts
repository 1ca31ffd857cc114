/** Starts what the outside clients talk to on a loopback port: the whole gateway, or the MCP door over ports of a test. */
import { mcpDoor, type McpPorts } from "../../doors/mcp.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { fakePorts, TOKEN } from "../unit/doors/fake_ports.ts";

/** A server to talk to. */
export interface Started {
  /** The address of its MCP endpoint. */
  readonly url: string;
  /** A bearer token that may call `list_sites`. */
  readonly token: string;
  /** Resolves when it serves no more. */
  stop(): Promise<void>;
}

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** Starts the whole gateway, with its store in memory and one site beside what `more` says; `told` gets it. */
export async function start(more: KitOptions = {}, told: (kit: Kit) => void = () => {}): Promise<Started> {
  const opened = Promise.withResolvers<Handler>();
  const { port, shutdown } = await listen(() => opened.promise);
  const kit = await gateway({
    realClock: true,
    ...more,
    settings: { ...more.settings, baseUrl: `http://127.0.0.1:${port}` },
    sites: [site("acme", "cms"), ...more.sites ?? []],
  });
  told(kit);
  opened.resolve(kit.gateway.fetch);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    token: kit.token(),
    async stop() {
      await shutdown();
      await kit[Symbol.asyncDispose]();
    },
  };
}

/** Serves the door alone, over fake ports that a test has changed, for tools that the gateway does not have. */
export async function serve(change: (ports: McpPorts) => McpPorts): Promise<Started> {
  const hosts = new Set<string>();
  const door = mcpDoor(change(fakePorts(hosts).ports));
  const { port, shutdown } = await listen(() => door);
  for (const name of ["127.0.0.1", "localhost"]) hosts.add(`${name}:${port}`);
  return { url: `http://127.0.0.1:${port}/mcp`, token: TOKEN, stop: shutdown };
}

/** Listens on a free port; who answers may be known only once the port is. */
export async function listen(
  handler: () => Handler | Promise<Handler>,
): Promise<{ port: number; shutdown(): Promise<void> }> {
  const bound = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: bound.resolve },
    async (request, info) => await (await handler())(request, info),
  );
  const { port } = await bound.promise;
  return { port, shutdown: () => server.shutdown() };
}
