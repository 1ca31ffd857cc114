/** Where another process than the one that saw the 401 handles the callback, with what its provider keeps and no more. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import { allowed } from "../guard/oauth_kit.ts";
import type { Kit } from "../kit.ts";
import { start } from "./mcp_start.ts";
import { calledBack } from "./oauth_callback.ts";
import { CLIENTS, type Kept } from "./oauth_client.ts";

/** What a client's library leaves behind is its own. */
const LIBRARY = { sanitizeResources: false };

const HOUR_MS = 60 * 60_000;

/** What is left of it in another process. */
const elsewhere = (kept: Kept): Kept => JSON.parse(JSON.stringify(kept));

/** Those that keep what they found out of the server, and those that find it out again. */
const PROVIDERS: Readonly<Record<string, Kept>> = {
  "keeping all that its SDK asks for": {},
  "keeping no more than it must": { discovered: null },
};

for (const [client, line] of Object.entries(CLIENTS)) {
  for (const [keeping, begun] of Object.entries(PROVIDERS)) {
    Deno.test(
      `${client}, ${keeping}, goes on in another process than it asked in, and refreshes from what that kept`,
      LIBRARY,
      async () => {
        let user: User | null = null;
        let kit: Kit | undefined;
        const started = await start(
          {
            realClock: false,
            start: Date.now(),
            signedIn: () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" }),
          },
          (opened) => kit = opened,
        );
        try {
          const ann = { email: "ann@gateway.example", role: "member", max_risk: 1 } as const;
          user = await kit!.store.users.create({ ...ann, allowed_sites: ["*"] });
          const { url } = started;
          const kept = elsewhere(begun);
          const page = await line(url, undefined, undefined, kept).ask();
          const answer = String((await allowed(page)).searchParams);
          const back = await calledBack({ client, url, kept, answer });
          assert.ok(back.tools.includes("create_draft"));
          kit!.clock.now += HOUR_MS;
          const later = line(url, undefined, undefined, elsewhere(back.kept));
          const connected = await later.connect();
          assert.ok((await connected.listTools()).tools.length > 0);
          assert.equal(later.saves(), 1, "it refreshed");
          await connected.close();
        } finally {
          await started.stop();
        }
      },
    );
  }
}
