/** What is said of a tool server's refusal: whoever refused, and when to try again. */
import { assertTold } from "../../told.ts";
import { type Answer, answering, failure, READ, rpcError } from "./_tool_servers.ts";

const page = (status: number, headers: Record<string, string> = {}): Answer => () =>
  new Response("<html><title>Not now</title></html>", {
    status,
    headers: { "content-type": "text/html", ...headers },
  });

Deno.test("who is at fault is said: the account's rights only in the server's own words, else whoever came between", async () => {
  const foreign =
    /: "Not now"; this is no answer of the server itself: a firewall, a proxy or a fault of the site came between$/;
  const cases: readonly [answer: Answer, said: RegExp][] = [
    [page(403), foreign],
    [page(403, { "cf-mitigated": "challenge" }), foreign],
    ...[500, 502, 520, 521, 522, 524].map((status): [Answer, RegExp] => [page(status), foreign]),
    [page(503, { "retry-after": "600" }), /; it does not serve just now: try again in 10 minutes$/],
    [page(503), /; it does not serve just now: try again in a minute$/],
    [page(429, { "retry-after": "600" }), /; it is asked too often: try again in 10 minutes$/],
    [(sent) => rpcError(sent, 503, -32000, "Busy"), /; it does not serve just now: try again in a minute$/],
    [(sent) => rpcError(sent, 403, -32008, "No"), /; give the site's account a role that may do it$/],
    [(sent) => rpcError(sent, 500, -32603, "It broke"), /; look at the site's error log$/],
  ];
  for (const [answer, said] of cases) {
    await answering(answer, async ({ ask }) => assertTold(await failure(ask(READ)), said));
  }
});
