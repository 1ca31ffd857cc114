/** An instance of a gateway: at each line "ms" of its input its clock steps on, and it sends what its pace allows soon. */
import { openStore } from "../../../../store/kv.ts";

const [path = "", name = "", address = ""] = Deno.args;
const AT_ONCE = 60;
let ahead = 0;
const now = () => Date.now() + ahead;
const store = await openStore({
  path,
  keys: [new Uint8Array(32).fill(7)],
  tokenPrefix: "gate",
  siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
  now,
});
const pace = store.paces.of(name, { requests: 80, window_ms: 10_000, requests_a_day: 200 });
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

async function send(): Promise<string> {
  const turn = await pace.take(now() + 500);
  if (typeof turn === "string") return turn;
  await (await fetch(address)).body?.cancel();
  turn.done();
  return "sent";
}

say("ready");
let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    ahead += Number(line);
    const ends = await Promise.all(Array.from({ length: AT_ONCE }, send));
    say(JSON.stringify(["sent", "late", "day"].map((end) => ends.filter((one) => one === end).length)));
  }
}
await store.close();
