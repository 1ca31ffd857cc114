/** Starts what the outside clients talk to: the MCP door on a loopback port. */
import { mcpDoor, type McpPorts } from "../../doors/mcp.ts";
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

/** Starts the server every outside client is tried on. */
export function start(): Promise<Started> {
  return serve((ports) => ports);
}

/** Serves the door on a free port of this machine, until it is stopped. */
export async function serve(change: (ports: McpPorts) => McpPorts): Promise<Started> {
  const hosts = new Set<string>();
  const door = mcpDoor(change(fakePorts(hosts).ports));
  const bound = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: bound.resolve }, door);
  const { port } = await bound.promise;
  for (const name of ["127.0.0.1", "localhost"]) hosts.add(`${name}:${port}`);
  return { url: `http://127.0.0.1:${port}/mcp`, token: TOKEN, stop: () => server.shutdown() };
}
