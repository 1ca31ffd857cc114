/** A pass-through proxy for clients that cannot send a token: it adds one and leaves everything else alone. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Started } from "./mcp_start.ts";

/** Stands in front of a server. A foreign Host goes through as it came; the proxy's own becomes the server's. */
export async function withToken({ url, token, stop }: Started): Promise<Started> {
  const target = new URL(url);
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { port } = server.address() as AddressInfo;
    const host = incoming.headers.host?.replace(new RegExp(`:${port}$`), `:${target.port}`);
    const headers = { ...incoming.headers, host, authorization: `Bearer ${token}` };
    const { method, url: path } = incoming;
    const onward = request(
      { hostname: target.hostname, port: target.port, method, path, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy()); // a client that leaves a stream leaves it behind the proxy too
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}${target.pathname}`,
    token,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await stop();
    },
  };
}
