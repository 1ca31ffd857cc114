/** Opens a store at each address it is given, and prints what was said of them as JSON. */
import { openStore } from "../../../../store/kv.ts";
import { SITE_SHAPE } from "../../../connectors.ts";

const keys = [new Uint8Array(32)];
const said = await Promise.all(Deno.args.map(async (path) => {
  try {
    await (await openStore({ path, keys, siteShape: SITE_SHAPE, tokenPrefix: "gate", deadline_ms: 1500 }))
      .close();
    return "opened";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}));
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(said)));
Deno.exit(0);
