/** How few requests each tool of the CRM takes once its location is known; tests/golden/requests.yaml says. */
import { SHARED_MS } from "../../platforms/highlevel/shared_pages.ts";
import { seeded } from "../../sandbox/highlevel/start.ts";
import { type Kit, NOW } from "../kit.ts";
import { holds, Meter } from "../requests_kit.ts";
import { CALLS, CrmWorld } from "./_crm.ts";

Deno.test("of the CRM every tool asks as little as the table says", async () => {
  const meter = new Meter();
  // So few conversations and tags that they are read at one time: of more, who is done first decides the steps.
  const world = seeded(`loc${crypto.randomUUID().slice(0, 8)}`, NOW, { conversations: 5, messages: 60 });
  world.tags.length = 6;
  await using at = await CrmWorld.open({ crm: { world }, fetch: meter.fetch });
  const calls = Object.entries(CALLS).map(([tool, args]) => [tool, () => ({ site_id: "client", ...args })]);
  // The pages that the call before has read are forgotten, the location is not.
  const later: Kit = Object.assign(Object.create(at.gw), {
    call: (...call: Parameters<Kit["call"]>) => {
      at.gw.clock.now += SHARED_MS;
      return at.gw.call(...call);
    },
  });
  await holds("crm", Object.fromEntries(calls), later, meter);
});
