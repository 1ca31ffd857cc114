/** Opens a store and prints what came of it, as a gateway that starts would. */
import { asGatewayError } from "../../../../core/errors.ts";
import { openStore } from "../../../../store/kv.ts";

const [path = "", deadline = "8000"] = Deno.args;
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
try {
  await openStore({
    path,
    keys: [new Uint8Array(32)],
    siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
    tokenPrefix: "gate",
    deadline_ms: Number(deadline),
  });
  say("opened");
  Deno.exit(0);
} catch (error) {
  say(asGatewayError(error, "r").message);
  Deno.exit(1);
}
