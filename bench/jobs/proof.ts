/** Does every job by a script that knows the way, `proof.ts <folder> [job…]`: whole afterwards, and not before. */
import { Agent, judged, type Player } from "./client.ts";
import { jobs } from "./notes.ts";
import { PLACES } from "./judge_static.ts";
import { SITES } from "./sites.ts";

// deno-lint-ignore no-explicit-any -- answers of many tools, read by hand
type Answer = any;
type Args = Readonly<Record<string, unknown>>;

/** The calls of one who has read the manual. */
class Hand {
  constructor(readonly agent: Agent) {}

  async read(tool: string, args: Args): Promise<Answer> {
    const { text, error } = await this.agent.call(tool, args);
    if (error !== null) throw new Error(`${tool}: ${text}`);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  /** A write: its preview, then the same call with the token. */
  async write(tool: string, args: Args): Promise<Answer> {
    const preview = await this.read(tool, args);
    if (preview.confirm_token === undefined) return preview;
    return await this.read(tool, { ...args, confirm: true, confirm_token: preview.confirm_token });
  }
}

/** Does a job, and says what a player would answer. */
type Way = (hand: Hand) => Promise<string>;

const LOGO =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Brings the preview live once its commit is built. */
async function publish(hand: Hand, site_id: string, commit_sha: string): Promise<void> {
  for (let status = ""; status !== "success";) {
    ({ status } = await hand.read("check_static_deploy", { site_id, commit_sha, wait_seconds: 40 }));
  }
  await hand.write("publish_static_preview", { site_id });
}

/** Those on static sites. */
const STATIC_WAYS: Readonly<Record<string, Way>> = {
  async static_page(hand) {
    const site_id = SITES.garden;
    const html = "<h1>Winter service</h1><p>We clear snow from six in the morning.</p>";
    const { commit_sha } = await hand.write("create_static_route", {
      site_id,
      route: "winter-service",
      html,
    });
    const deploy = await hand.read("check_static_deploy", { site_id, commit_sha, wait_seconds: 40 });
    return JSON.stringify(deploy);
  },
  async cafe_site(hand) {
    const site_id = SITES.cafe;
    const links = "<a href='/menu'>Menu</a> <a href='/contact'>Contact</a>".replaceAll("'", '"');
    const homepage_html = `<h1>Café Nord, coffee and cake at the harbour</h1>${links}`;
    await hand.write("init_static_project", { site_id, homepage_html });
    const pages = [
      { route: "menu", html: `<h1>Menu</h1><p>Espresso 2.80, cake of the day 4.20</p>${links}` },
      { route: "contact", html: `<h1>Contact</h1><p>Hafenstrasse 3, from eight to six</p>${links}` },
    ];
    const { commit_sha } = await hand.write("create_static_routes", { site_id, pages });
    await publish(hand, site_id, commit_sha);
    return "It is live.";
  },
  async cafe_blog(hand) {
    const site_id = SITES.cafe;
    await hand.write("init_static_project", { site_id, homepage_html: "<h1>Café Nord</h1>", blog: true });
    const head = "title: We are open\nslug: we-are-open\ntype: post\nstatus: published\ndate: 2026-11-29";
    const content = `---\n${head}\n---\n\nCome in. There is cake.\n`;
    await hand.write("save_md_to_repo", { site_id, path: "src/content/blog/we-are-open.md", content });
    return "It is in the blog.";
  },
  async live_and_back(hand) {
    const site_id = SITES.garden;
    const html = "<h1>Gardens for small places</h1>";
    const { commit_sha } = await hand.write("update_static_route", { site_id, route: "/", html });
    await publish(hand, site_id, commit_sha);
    const { changes } = await hand.read("list_changes", { site_id, tool: "publish_static_preview" });
    await hand.write("undo_change", { site_id, request_id: changes[0].request_id });
    return "It is as it was.";
  },
  async places(hand) {
    const site_id = SITES.garden;
    const pages = PLACES.map((name) => ({
      route: `places/${name.toLowerCase()}`,
      html: `<h1>Garden design in ${name}</h1><p>We come to ${name}.</p>`,
    }));
    await hand.write("create_static_routes", { site_id, pages });
    await hand.write("write_static_file", {
      site_id,
      path: "public/logo.png",
      content: LOGO,
      encoding: "base64",
    });
    return "It is in the preview.";
  },
  async failed_deploy(hand) {
    return JSON.stringify(await hand.read("check_static_deploy", { site_id: SITES.bikes, wait_seconds: 40 }));
  },
};

const WAYS: Readonly<Record<string, Way>> = {
  ...STATIC_WAYS,
  async landing_page(hand) {
    const site_id = SITES.dentist;
    const html = "<h1>Teeth whitening in Vienna</h1><p>249 euros.</p><a href='/book/'>Book</a>".replaceAll(
      "'",
      '"',
    );
    const title = "Teeth whitening in Vienna for 249 euros | Brunner";
    const description = "White teeth in one hour at Brunner Dental in Vienna, for 249 euros. Book online.";
    const page = {
      site_id,
      title: "Teeth whitening",
      slug: "teeth-whitening",
      html,
      template: "page-no-title",
      seo: { title, description },
    };
    const changes = [
      { tool: "create_page_from_code", arguments: page },
      { tool: "publish_page", arguments: { site_id, page_id: { $from: 1 } } },
    ];
    await hand.write("prepare_changes", { title: "Landing page", changes });
    await hand.read("view_live", { site_id, path: "/teeth-whitening/" });
    return "It is live.";
  },
  async what_changed(hand) {
    const site_id = SITES.roofer;
    const { changes } = await hand.read("list_changes", { site_id, tool: "revise_published" });
    await hand.write("undo_change", { site_id, request_id: changes[0].request_id });
    return "The price was 900 in place of 90; it is back.";
  },
  async weakest_seo(hand) {
    const { pages } = await hand.read("audit_seo", { site_id: SITES.roofer });
    return pages.map(({ url, issues }: Answer) => `${url}: ${issues}`).slice(0, 2).join("\n");
  },
  async four_posts(hand) {
    const site_id = SITES.dentist;
    const plan = [
      ["Brushing at night", "2026-12-08T09:00:00"],
      ["Sugar and children", "2026-12-15T09:00:00"],
      ["When a crown is needed", "2026-12-22T09:00:00"],
      ["Flossing", "2026-12-29T09:00:00"],
    ];
    const changes = plan.flatMap(([title, scheduled_at], at) => [
      {
        tool: "create_draft",
        arguments: { site_id, title, content_html: "<p>Two sentences. They will do.</p>" },
      },
      { tool: "schedule_draft", arguments: { site_id, post_id: { $from: 2 * at + 1 }, scheduled_at } },
    ]);
    const { items } = await hand.write("prepare_changes", { title: "December", changes });
    const [third, fourth] = [items[4].id, items[6].id];
    await hand.write("schedule_draft", { site_id, post_id: third, scheduled_at: "2026-12-24T09:00:00" });
    await hand.write("unschedule", { site_id, post_id: fourth });
    return "Planned.";
  },
  async phone_number(hand) {
    const site_id = SITES.roofer;
    await hand.write("replace_text", { site_id, find: "01 555 70 44", replace: "01 555 90 10" });
    await hand.write("replace_text", { site_id, find: "tel:+4315557044", replace: "tel:+4315559010" });
    return "Done.";
  },
  async frontmatter(hand) {
    const site_id = SITES.garden;
    const { items } = await hand.read("list_md_from_repo", { site_id, prefix: "content/hedges-" });
    const changes = [];
    for (const { path } of items) {
      const { content, sha } = await hand.read("read_static_file", { site_id, path });
      const next = content.replace("status: draft", "status: review").replace(
        "author: Office",
        "author: Maria Lindner",
      );
      changes.push({ tool: "save_md_to_repo", arguments: { site_id, path, content: next, sha } });
    }
    await hand.write("prepare_changes", { title: "Hedges", changes });
    return "Done.";
  },
  async crm_month(hand) {
    const site_id = SITES.crm;
    const { current } = await hand.read("crm_compute_window_compare", { site_id, month: "2026-10" });
    const range = { start_at: "2026-10-01", end_at: "2026-10-31" };
    const { collected } = await hand.read("crm_compute_revenue_stats", { site_id, ...range });
    const { appointments, no_show_rate, won, lost } = current;
    return `${appointments} appointments, ${
      (no_show_rate * 100).toFixed(1)
    } %, ${won}, ${lost}, ${collected}`;
  },
  async client_report(hand) {
    const site_id = SITES.roofer;
    const range = { start_date: "2026-10-01", end_date: "2026-10-31" };
    const { markdown } = await hand.read("generate_seo_report", { site_id, ...range, top_queries: 3 });
    await hand.write("storage_save_audit", { site_id, title: "Report October 2026", content: markdown });
    return "Saved.";
  },
  async cluster_to_draft(hand) {
    const site_id = SITES.roofer;
    const job = { keyword: "roof repair 1 0", content_type: "blog_article", topical_map_id: "map_main" };
    const { content_job_id } = await hand.write("topicmap_create_content_job", { site_id, ...job });
    for (let status = ""; status !== "completed";) {
      ({ status } = await hand.read("topicmap_get_content_job", {
        site_id,
        content_job_id,
        wait_seconds: 40,
      }));
    }
    const { markdown } = await hand.read("topicmap_get_content_job_output", { site_id, content_job_id });
    await hand.write("create_draft", {
      site_id,
      title: "Roof repair",
      content_html: `<p>${markdown.split("\n\n")[1]}</p>`,
    });
    return "It is a draft.";
  },
  async own_tool(hand) {
    const site_id = SITES.yoga;
    const { items = [] } = await hand.read("list_content", { site_id, type: "page", search: "Welcome" });
    const post_id = items[0].id;
    const page = await hand.read("builder-mcp-get-page-structure", { site_id, post_id });
    const section = JSON.stringify(page).match(/"id":"([0-9a-f]{7})","elType":"container"/g)!.at(-1)!.slice(
      6,
      13,
    );
    const settings = { title: "Closed from 24 to 26 December" };
    const widget = { parent_id: section, widget_type: "heading", settings };
    await hand.write("builder-mcp-add-free-widget", { site_id, post_id, ...widget });
    return "Done.";
  },
};

if (import.meta.main) {
  const [folder, ...wanted] = Deno.args;
  const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  const player = JSON.parse(await Deno.readTextFile(`${folder}/player.json`)) as Player;
  const hand = new Hand(new Agent(player, `${player.url}/mcp`));
  let failed = 0;
  for (const { id } of (await jobs()).filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
    const before = await judged(player, id, "");
    try {
      const after = await judged(player, id, await WAYS[id]!(hand));
      if (before.whole || !after.whole) failed++;
      say(
        `${id}: ${before.whole ? "whole before" : "not whole before"}, ${
          after.whole ? "whole" : `lacks ${after.lacks.join("; ")}`
        }`,
      );
    } catch (thrown) {
      failed++;
      say(`${id}: ${(thrown as Error).message}`);
    }
  }
  Deno.exit(failed === 0 ? 0 : 1);
}
