/** The demo's behavior analytics: a stand-in with a project, linked to two sites, whose last night is kept. */
import { startClarity } from "./clarity/start.ts";
import type { DemoPart } from "./demo_part.ts";

const PROJECT = "demoproject";
const SITES = ["demo", "demo-crm"];

/** Starts it. */
export function startDemoBehavior(): DemoPart {
  const clarity = startClarity();
  const { token } = clarity.project(PROJECT);
  return {
    env: clarity.env,
    async register({ store, snapshots }) {
      const credentials = { behavior: { export_token: token } };
      for (const id of SITES) await store.sites.update(id, { behavior_project_id: PROJECT, credentials });
      await snapshots.run(); // nobody wants to wait for 01:30
    },
    guide: (_address, paste) => [
      `Behavior analytics of a made-up dentist from a stand-in for Clarity (site ids ${
        SITES.map((id) => `"${id}"`).join(" and ")
      }; ten pulls a day):`,
      paste("behavior_get_heatmap_metrics", { site_id: "demo", by_url: true }),
    ],
    stop: () => clarity.stop(),
  };
}
