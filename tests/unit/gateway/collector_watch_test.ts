/** A collector that does not answer is said once, and so is that it is back; what it answers is nobody's matter. */
import assert from "node:assert/strict";
import { CollectorWatch } from "../../../gateway/collector_watch.ts";

function watching(endpoint: string) {
  let now = 0;
  let answer = (): Promise<Response> => Promise.resolve(new Response("{}"));
  const asked: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const ending = new AbortController();
  const watch = new CollectorWatch({
    endpoint,
    fetch: (url) => {
      asked.push(String(url));
      return answer();
    },
    elapsed: () => now,
    signal: ending.signal,
    log: (event) => void logged.push(event),
  });
  const look = async (as: () => Promise<Response>) => {
    answer = as;
    await watch.look();
    now += 60_000;
  };
  return { asked, logged, look, ending };
}

/** As the runtime's fetch fails. */
const failing = (message: string) => () =>
  Promise.reject(new TypeError("fetch failed", { cause: new Error(message) }));

const refused = failing(
  "error sending request for url (http://a/v1/traces): client error (Connect): refused",
);

Deno.test("one that is down is said once, without what is secret in its address, and once when it is back", async () => {
  const { asked, logged, look } = watching("https://user:hidden@collector.example:4318/");
  for (let nth = 0; nth < 3; nth++) await look(refused);
  await look(() => Promise.resolve(new Response(null, { status: 401 })));
  await look(refused);
  assert.deepEqual(logged.map(({ event }) => event), [
    "telemetry_collector_silent",
    "telemetry_collector_back",
    "telemetry_collector_silent",
  ]);
  assert.match(
    String(logged[0]!.message),
    /^OTEL_EXPORTER_OTLP_ENDPOINT: the collector at https:\/\/collector\.example:4318 /,
  );
  assert.equal(logged[0]!.cause, "client error (Connect): refused");
  assert.equal(logged[1]!.away_ms, 180_000);
  assert.doesNotMatch(JSON.stringify(logged), /hidden/);
  assert.equal(asked[0], "https://user:hidden@collector.example:4318/v1/traces");
});

Deno.test("an address that is none is said, and nothing of it", async () => {
  const { logged, look } = watching("hidden collector");
  await look(failing("Invalid URL: 'hidden collector/v1/traces'"));
  assert.match(String(logged[0]!.message), /the collector at an address that is none does not answer/);
  assert.doesNotMatch(JSON.stringify(logged), /hidden/);
});

Deno.test("one that answers anything is there: a refusal, another protocol, an authority that only the runtime knows", async () => {
  const { logged, look } = watching("http://127.0.0.1:4318");
  await look(() => Promise.resolve(new Response("no", { status: 500 })));
  await look(failing("client error (SendRequest): invalid HTTP version parsed"));
  await look(failing("client error (Connect): invalid peer certificate: UnknownIssuer"));
  assert.equal(logged.length, 0);
  await look(() => Promise.reject(new DOMException("Signal timed out.", "TimeoutError")));
  assert.equal(logged[0]!.cause, "no answer within 5 s");
});

Deno.test("nothing is said of a collector that did not answer before the process ended", async () => {
  const { logged, look, ending } = watching("http://collector.example:4318");
  ending.abort();
  await look(() => Promise.reject(ending.signal.reason));
  assert.deepEqual(logged, []);
});
