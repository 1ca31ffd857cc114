/** What calls at a site builder cost the gateway: each tool of its posts and pages, at the stand-in. */
import { PACE } from "../platforms/duda/pace.ts";
import { type DudaStandIn, type Site, startDuda } from "../sandbox/duda/start.ts";
import { inFolder, startGateway } from "./gateway.ts";
import { type Call, standInRows } from "./stand_in.ts";
import type { Line } from "./table.ts";

const SITE = "acme";
const ALIAS = "1a2b3c4d";
const AHEAD_MS = 86_400_000;
const TEXT = `<p>${"Some words of a post. ".repeat(200)}</p>`;

/** Each round waits a second for the pace that the gateway keeps, so there are no more of them than these. */
const ROUNDS_MAX = 5;

/** The rows, in some two minutes. */
export async function builderRows(most: number): Promise<Line[]> {
  const rounds = Math.min(most, ROUNDS_MAX);
  await using duda = startDuda();
  const built = duda.site(ALIAS, "acme.example");
  const site = {
    id: SITE,
    name: SITE,
    platform: "sitebuilder",
    base_url: null,
    site_alias: ALIAS,
    flags: { allow_publish: true },
  };
  return await inFolder(async (folder) => {
    await using gateway = await startGateway(folder, [site], {
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
      ...duda.env,
    });
    return await standInRows(gateway, duda, callsAt(duda, built), { rounds, pause_ms: PACE.window_ms });
  });
}

function callsAt(duda: DudaStandIn, built: Site): Call[] {
  const post_id = () => duda.post(built, { title: "Bench", content: TEXT }).id;
  const page_id = () => duda.page(built, { title: "Bench", draft_status: "DRAFT" }).uuid;
  const [post, page] = [post_id(), page_id()];
  const section = duda.section("Hero");
  const call = (tool: string, args: (round: number) => Readonly<Record<string, unknown>>): Call => ({
    tool,
    args: (round) => ({ site_id: SITE, ...args(round) }),
  });
  return [
    call("ping_site", () => ({})),
    call("list_content", () => ({ type: "page" })),
    call("list_drafts", () => ({})),
    call("get_post", () => ({ post_id: post })),
    call("get_page", () => ({ page_id: page })),
    call("create_draft", (round) => ({ title: `Bench ${round}`, content_html: TEXT })),
    call("update_draft", (round) => ({ post_id: post, title: `Bench ${round}` })),
    call("schedule_draft", () => ({
      post_id: post_id(),
      scheduled_at: new Date(Date.now() + AHEAD_MS).toISOString(),
    })),
    call("publish_post", () => ({ post_id: post_id() })),
    call("create_page_draft", (round) => ({ title: `Bench ${round}`, slug: `bench-${round}` })),
    call("update_page_draft", (round) => ({ page_id: page, title: `Bench ${round}` })),
    call("duplicate_page", (round) => ({ page_id: page, title: `Copy ${round}`, slug: `copy-${round}` })),
    call("inject_page_section", () => ({ page_id: page_id(), element_source_id: section })),
    call("publish_page", () => ({ page_id: page_id() })),
  ];
}
