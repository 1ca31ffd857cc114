/** What the ten most used tools cost beside the one request that does the same, on a real WordPress with the companion plugin. */
import assert from "node:assert/strict";
import { CONTENT_FIELDS, fieldsOf, POST_ROW } from "../platforms/wordpress/rest/records.ts";
import { type CmsSandbox, startCms } from "../sandbox/wordpress/start.ts";
import { freshPng, PNG } from "../tests/cms_kit.ts";
import { PLUGIN } from "../tests/companion/site.ts";
import { Asker, type Json } from "../tests/sandbox/asker.ts";
import { type Gateway, inFolder, startOver } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { inTurn } from "./timing.ts";

const SITE = "acme";
const REST = "/wp-json/wp/v2";
const AIM = "under 2x";
const TEXT = `<p>${"Some words of a post. ".repeat(200)}</p>`;

/** A tool's call, and the same asked of the site itself: once a round, each about a post of its own where it writes. */
interface Contest {
  readonly tool: string;
  /** Answers the id that `args` and `direct` are about. */
  readonly about: () => Promise<number>;
  readonly args: (id: number, round: number) => Json;
  readonly direct: (
    id: number,
    round: number,
  ) => readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>];
}

/** The rows; without PHP and WordPress, which this needs, one row with the reason. */
export async function toolRows(rounds: number): Promise<Line[]> {
  let site: CmsSandbox;
  try {
    site = await startCms({ kind: "wordpress", plugins: [PLUGIN] });
  } catch (thrown) {
    return [{ name: "ten tools", figure: "not measured", beside: (thrown as Error).message, aim: AIM }];
  }
  await using cms = site;
  return await inFolder(async (folder) => {
    const flags = { allow_publish: true };
    const seo = { enabled: true, channel: "plugin" };
    await using gateway = await startOver(folder, cms, { id: SITE, flags, seo });
    const site = new Asker(cms);
    const rows: Line[] = [];
    for (const one of [...reads(site), ...writes(site)]) {
      rows.push(await measured(one, gateway, site, rounds));
    }
    return rows;
  });
}

const nothing = () => Promise.resolve(0);
const whole = `_fields=${CONTENT_FIELDS}`;

/** Makes a draft to work on. */
const drafting = (site: Asker) => (type = "posts") => async () => {
  const { body, status } = await site.send("admin", "POST", `${REST}/${type}`, {
    title: "Bench",
    content: TEXT,
  });
  assert.equal(status, 201);
  return body["id"] as number;
};

function reads(site: Asker): Contest[] {
  const fresh = drafting(site);
  const list = `context=edit&orderby=modified&per_page=20&_fields=${fieldsOf(POST_ROW)}`;
  return [
    {
      tool: "list_content",
      about: fresh(),
      args: () => ({ type: "post" }),
      direct: () => ["GET", `${REST}/posts?${list}&status=draft,future,publish,pending,private`],
    },
    {
      tool: "list_drafts",
      about: fresh(),
      args: () => ({}),
      direct: () => ["GET", `${REST}/posts?${list}&status=draft,future`],
    },
    {
      tool: "get_post",
      about: fresh(),
      args: (post_id) => ({ post_id }),
      direct: (id) => ["GET", `${REST}/posts/${id}?context=edit&${whole}`],
    },
    {
      tool: "get_page",
      about: fresh("pages"),
      args: (page_id) => ({ page_id }),
      direct: (id) => ["GET", `${REST}/pages/${id}?context=edit&${whole}`],
    },
    {
      tool: "list_taxonomies",
      about: nothing,
      args: () => ({ taxonomy: "tag" }),
      direct: () => ["GET", `${REST}/tags?per_page=20`],
    },
    {
      tool: "get_seo_meta",
      about: fresh(),
      args: (post_id) => ({ post_id }),
      direct: (id) => ["GET", `/wp-json/site-ops/v1/seo/meta/${id}`],
    },
  ];
}

function writes(site: Asker): Contest[] {
  const fresh = drafting(site);
  const image = Uint8Array.fromBase64(PNG);
  const picture = { "content-type": "image/png", "content-disposition": 'attachment; filename="a.png"' };
  return [
    {
      tool: "create_draft",
      about: nothing,
      args: (_, round) => ({ title: `Bench ${round}`, content_html: TEXT }),
      direct: (_, round) => ["POST", `${REST}/posts?${whole}`, { title: `Bench ${round}`, content: TEXT }],
    },
    {
      tool: "update_draft",
      about: fresh(),
      args: (post_id, round) => ({ post_id, title: `Bench ${round}` }),
      direct: (id, round) => ["POST", `${REST}/posts/${id}?${whole}`, { title: `Bench ${round}` }],
    },
    {
      tool: "publish_post",
      about: fresh(),
      args: (post_id) => ({ post_id }),
      direct: (id) => ["POST", `${REST}/posts/${id}?${whole}`, { status: "publish" }],
    },
    {
      tool: "upload_media",
      about: nothing,
      args: () => ({ filename: "a.png", content_base64: freshPng() }),
      direct: () => ["POST", `${REST}/media`, image, picture],
    },
  ];
}

async function measured(
  { tool, about, args, direct }: Contest,
  gateway: Gateway,
  site: Asker,
  rounds: number,
): Promise<Line> {
  const ids = { gateway: [] as number[], direct: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const list of Object.values(ids)) list.push(await about());
  }
  const took = await inTurn(rounds, {
    gateway: (round) => gateway.call(tool, { site_id: SITE, ...args(ids.gateway[round]!, round) }),
    direct: async (round) => {
      const { status } = await site.send("admin", ...direct(ids.direct[round]!, round));
      assert.ok(status === 200 || status === 201, `${tool}: ${status}`);
    },
  });
  return {
    name: tool,
    figure: `${ms(took.gateway)}, ${(took.gateway / took.direct).toFixed(2)}x`,
    beside: `${ms(took.direct)}, the bare request`,
    aim: AIM,
  };
}
