/** What every answer about a project says beside its figures: when they are from, and what is left of its day. */
import type { Behavior, Pulled } from "../../platforms/clarity/client.ts";

/** The project first, the figures, then how old they are and what the project's quota is. */
export async function answered<Figures extends object>(
  client: Behavior,
  { at, cached }: Pulled,
  figures: Figures,
) {
  return {
    project_id: client.project_id,
    ...figures,
    cached,
    fetched_at: new Date(at).toISOString(),
    quota: await client.quota(),
  };
}
