/** How few requests each tool of the CRM takes once its location is known; tests/golden/requests.yaml says. */
import { SHARED_MS } from "../../platforms/highlevel/budget.ts";
import { seeded } from "../../sandbox/highlevel/start.ts";
import { type Kit, NOW } from "../kit.ts";
import { holds, Meter } from "../requests_kit.ts";
import { CALLS, CrmWorld } from "./_crm.ts";

/** Those that hold a window against another; the windows adjoin. */
const COMPARED = [
  "crm_compute_pipeline_funnel",
  "crm_compute_no_show_rate",
  "crm_compute_sms_stats",
  "crm_bootstrap_baseline",
  "crm_get_workflow_executions",
  "crm_compute_opt_in_rate",
  "crm_compute_form_submission_rate",
  "crm_compute_missed_call_textback",
  "crm_compute_revenue_stats",
  "crm_compute_lead_to_book",
];

Deno.test("of the CRM every tool asks as little as the table says", async () => {
  const meter = new Meter();
  // So few conversations and tags that they are read at one time: of more, who is done first decides the steps.
  const world = seeded(`loc${crypto.randomUUID().slice(0, 8)}`, NOW, { conversations: 5, messages: 60 });
  world.tags.length = 6;
  await using at = await CrmWorld.open({ crm: { world }, fetch: meter.fetch });
  const own = Object.entries(CALLS).map(([tool, args]) => [tool, () => ({ site_id: "client", ...args })]);
  const compared = COMPARED.map((tool) => [
    `${tool} (compared)`,
    () => ({ site_id: "client", ...CALLS[tool], compare: "previous_period" }),
  ]);
  const calls = [...own, ...compared];
  // The pages that the call before has read are forgotten, the location is not.
  const later: Kit = Object.assign(Object.create(at.gw), {
    call: (...call: Parameters<Kit["call"]>) => {
      at.gw.clock.now += SHARED_MS;
      return at.gw.call(...call);
    },
  });
  await holds("crm", Object.fromEntries(calls), later, meter);
});
