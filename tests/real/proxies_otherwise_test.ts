/** Proxies that are not set up as the page shows: they hold answers back, send another Host, or are not named. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import type { Kit } from "../kit.ts";
import { operator } from "../people/kit.ts";
import { modern } from "../unit/doors/mcp_requests.ts";
import { behind, type Otherwise, type Place, type Proxy, TRIED } from "./_proxies.ts";

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

const headers = (kit: Kit, more: Record<string, string> = {}) => ({
  "content-type": "application/json",
  authorization: `Bearer ${kit.token()}`,
  ...more,
});

/** A call over REST, whatever stands between. */
async function called({ kit, ask }: Place): Promise<number> {
  const sent = { method: "POST", headers: headers(kit), body: "{}" };
  const response = await ask("/api/v1/tools/list_sites", sent);
  await response.body?.cancel();
  return response.status;
}

/** A stream on which the client of `subscriptions/listen` is told of changes. */
async function listening({ kit, ask }: Place): Promise<ReadableStreamDefaultReader<string>> {
  const request = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const sent = headers(kit, Object.fromEntries(request.headers));
  const response = await ask("/mcp", {
    method: "POST",
    headers: { ...sent, authorization: `Bearer ${kit.token()}` },
    body: await request.text(),
  });
  assert.equal(response.status, 200);
  return response.body!.pipeThrough(new TextDecoderStream()).getReader();
}

/** Each with the lines of the page that make it hold nothing back, changed to hold back what it can. */
const BUFFERING: Readonly<Record<Proxy, Otherwise["changes"]>> = {
  nginx: [["proxy_buffering off;", "proxy_buffering on; proxy_buffers 16 64k; gzip on; gzip_types *;"]],
  caddy: [["flush_interval -1", "flush_interval 1h"]],
};

/** Nothing of an answer goes on before its end, not even of events. */
const HOLDING: Readonly<Partial<Record<Proxy, Otherwise["changes"]>>> = {
  caddy: [["flush_interval -1", "buffer_responses\n\t\tmax_buffer_size 10MB"]],
};

/** Each with what it sends in the place of the Host that the client asked for. */
const OTHER_HOST: Readonly<Record<Proxy, readonly Otherwise["changes"][]>> = {
  nginx: [
    [["proxy_set_header Host $http_host;", ""]],
    [["proxy_set_header Host $http_host;", 'proxy_set_header Host "";'], ["proxy_http_version 1.1;", ""]],
  ],
  caddy: [[["flush_interval -1", "flush_interval -1\n\t\theader_up Host {upstream_hostport}"]]],
};

for (const { proxy, ignore, at } of TRIED) {
  Deno.test({
    name:
      `behind ${at} that holds answers back, calls are answered whole and events still come as they happen`,
    ignore,
    fn: () =>
      behind(proxy, async (place) => {
        assert.equal(await called(place), 200);
        const description = await place.ask("/api/v1/openapi.json");
        assert.ok(Object.keys((await description.json()).paths).length > 100, "a large answer is whole");
        const events = await listening(place);
        assert.match((await events.read()).value ?? "", /notifications\/subscriptions\/acknowledged/);
        await events.cancel();
      }, { changes: BUFFERING[proxy] }),
  });

  if (HOLDING[proxy] !== undefined) {
    Deno.test({
      name:
        `behind ${at} that hands nothing on before its end, every call is answered, of a client that follows it too`,
      ignore,
      fn: () =>
        behind(proxy, async (place) => {
          assert.equal(await called(place), 200);
          const params = { name: "list_sites", arguments: {}, _meta: { progressToken: 1 } };
          const response = await place.ask("/mcp", {
            method: "POST",
            headers: headers(place.kit, { accept: "application/json, text/event-stream" }),
            body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
          });
          const { id, result } = await response.json();
          assert.deepEqual([id, result.isError ?? false], [7, false]);
        }, { changes: HOLDING[proxy]! }),
    });
  }

  Deno.test({
    name:
      `behind ${at} a header of 60 KB is answered: by the proxy, which says what is too large, or by the gateway`,
    ignore,
    fn: () =>
      behind(proxy, async ({ kit, ask, requests }) => {
        const large = { ...headers(kit), "x-large": "a".repeat(60_000) };
        const before = requests.length;
        const response = await ask("/api/v1/tools/list_sites", {
          method: "POST",
          headers: large,
          body: "{}",
        });
        const text = await response.text();
        if (proxy === "nginx") {
          assert.match(`${response.status} ${text}`, /^400 .*Request Header Or Cookie Too Large/s);
        } else assert.match(`${response.status} ${text}`, /^200 \{"ok":true/);
        assert.equal(requests.length - before, proxy === "nginx" ? 0 : 1);
      }),
  });

  for (const [nth, changes] of OTHER_HOST[proxy].entries()) {
    Deno.test({
      name: `behind ${at} that drops the Host (${
        nth + 1
      }), calls are answered and MCP clients are told what to set`,
      ignore,
      fn: () =>
        behind(proxy, async (place) => {
          const { kit, ask, baseUrl } = place;
          assert.equal(await called(place), 200, "REST asks for no Host");
          const refused = await ask("/mcp", { method: "POST", headers: headers(kit), body: LIST });
          const { error } = await refused.json();
          assert.equal(refused.status, 403, JSON.stringify(error));
          assert.match(
            error.message,
            /^Forbidden: the request names the Host ".*", and this gateway is 127\.0\.0\.1:\d+ /,
          );
          assert.ok(error.message.includes(`BASE_URL is ${baseUrl}`), error.message);
          assert.match(error.message, /nginx: proxy_set_header Host \$http_host/);
          const metadata = await (await ask("/.well-known/oauth-protected-resource/mcp")).json();
          assert.equal(
            metadata.resource,
            `${baseUrl}/mcp`,
            "addresses are made of BASE_URL, not of the Host",
          );
          const form = await ask("/admin/sign-in", { method: "POST", headers: { origin: baseUrl } });
          assert.doesNotMatch(await form.text(), /is not this gateway/);
        }, { changes }),
    });
  }

  Deno.test({
    name:
      `behind ${at} that TRUSTED_PROXIES does not name, all count as one, a valid token passes, and the operator is told`,
    ignore,
    fn: () =>
      behind(proxy, async (place) => {
        const { kit, ask } = place;
        const guess = async (nth: number) => {
          const sent = {
            authorization: `Bearer gate_dev_${nth}`,
            "x-forwarded-for": `198.51.100.${nth % 250}`,
          };
          const response = await ask("/api/v1/tools/list_sites", {
            method: "POST",
            headers: sent,
            body: "{}",
          });
          await response.body?.cancel();
          return response.status;
        };
        // More than two minutes' worth: in one of the minutes that they come in there are too many.
        const codes = new Set<number>();
        for (let nth = 0; nth <= 2 * LIMITS.WRONG_TOKENS_PER_MINUTE; nth++) codes.add(await guess(nth));
        assert.deepEqual([...codes].sort(), [401, 429], "whatever address they say they come from");
        assert.equal(await called(place), 200);
        const said = kit.logged.filter(({ event }) => event === "proxy_not_trusted");
        assert.deepEqual(said.map(({ address }) => address), ["127.0.0.1"], "one line");
        const { result } = await operator(kit, "GET", "health");
        assert.match(result.proxies[0].message, /set TRUSTED_PROXIES to 127\.0\.0\.1$/);
        await kit.gateway.counted.flush();
        const rows = (await kit.audit()).filter(({ tool }) => tool === "token.refused");
        const from = new Set(rows.map((row) => (row.arguments as { address: string }).address));
        assert.deepEqual([...from], ["127.0.0.1"]);
      }, { settings: { trustedProxies: [] } }),
  });
}
