/** An instance of a gateway: at each line "ms" of its input its clock steps on and many calls want a token at once. */
import { openStore } from "../../../../store/kv.ts";
import { refreshAt } from "../token_server.ts";

const [path = "", user = "", address = ""] = Deno.args;
const CALLS = 20;
const WAIT_MS = 20_000;
let ahead = 0;
const store = await openStore({
  path,
  keys: [new Uint8Array(32).fill(7)],
  tokenPrefix: "gate",
  siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
  now: () => Date.now() + ahead,
});
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
const refresh = refreshAt(address);

say("ready");
let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    ahead += Number(line);
    const answers = await Promise.all(
      Array.from({ length: CALLS }, () => store.accounts.token(user, "mail", { refresh, wait_ms: WAIT_MS })),
    );
    say(
      JSON.stringify([...new Set(answers.map((one) => one.state === "ok" ? one.access_token : one.state))]),
    );
  }
}
await store.close();
