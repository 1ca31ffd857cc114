/** What pages from code and clones cost the gateway itself: CSS scoped, HTML looked at, a template of 500 elements cloned. */
import { scopeSheets } from "../rules/code_pages/scope.ts";
import { inspectHtml } from "../rules/code_pages/html.ts";
import { pagesOf } from "../platforms/wordpress/pages/client.ts";
import type { SiteContext } from "../platforms/_connector/connector.ts";
import type { Incoming, Outgoing } from "../platforms/_http/request.ts";
import type { Site } from "../core/model.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const ROUNDS = 25;
const KIB = 1024;
const SCOPE = "so-0123456789";

async function measured(name: string, aim_ms: number, once: () => unknown): Promise<Line> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(once));
  return {
    name,
    figure: ms(median(times)),
    beside: `its worst of ${ROUNDS}: ${ms(Math.max(...times))}`,
    aim: `under ${aim_ms} ms`,
  };
}

/** A rule of style, as authors write them. */
export const RULE =
  ".card-title:hover > a, .x .y { color: #fff; margin: 0 auto; animation: spin 1s linear }\n";
/** A piece of HTML, as authors write it. */
export const HTML = '<div class="card"><h2>Title</h2><p style="color:red">Text &amp; more</p></div>\n';

/** A piece of ASCII over and over, made up with blanks to that many bytes. */
export const filled = (piece: string, bytes: number): string =>
  piece.repeat(Math.floor(bytes / piece.length)).padEnd(bytes);

/** The rows: 100 KiB of CSS, 200 KiB of HTML, and a clone of 500 elements over a site that answers at once. */
export async function codePageRows(): Promise<Line[]> {
  const frames = "@keyframes spin{}\n";
  const css = frames + filled(RULE, 100 * KIB - frames.length);
  const short = "a{}".repeat(Math.floor(100 * KIB / 3));
  const html = filled(HTML, 200 * KIB);
  return [
    await measured("CSS of 100 KiB scoped", 50, () => scopeSheets([{ text: css, label: "css" }], SCOPE)),
    await measured(
      "CSS of 34,133 rules scoped",
      100,
      () => scopeSheets([{ text: short, label: "css" }], SCOPE),
    ),
    await measured("HTML of 200 KiB looked at", 100, () => inspectHtml(html)),
    await measured("a template of 500 elements cloned", 100, clone),
  ];
}

const KEYS = Array.from({ length: 500 }, (_, at) => `KEY_${at}`);
const VARIABLES = Object.fromEntries(KEYS.map((key) => [key, `Text of ${key}`]));

/** Prepares and writes one clone; only the time of the site is left out. */
async function clone(): Promise<void> {
  const pages = pagesOf(answering());
  const fields = { template_id: 9, title: "Bench", variables: VARIABLES };
  await pages.create(await pages.prepareClone(fields, null), () => {});
}

function answering(): SiteContext {
  const base_url = "https://bench.example";
  const cache = {
    get: () => `${base_url}/wp-json/` as never,
    set: () => {},
    drop: () => {},
    once: () => Promise.resolve(`${base_url}/wp-json/` as never),
  };
  return {
    site: { base_url } as Site,
    now: Date.now,
    deadline: Infinity,
    settings: {},
    borrow: () => {
      throw new Error("nothing is borrowed");
    },
    pace: () => {
      throw new Error("no pace is kept");
    },
    secret: () => Promise.resolve({ username: "bench", application_password: "bench" }) as Promise<never>,
    cache,
    shared: cache,
    send: (out) => Promise.resolve(answer(out)),
  };
}

function answer({ url, method }: Outgoing): Incoming {
  const features = Object.fromEntries(
    [
      "page_builder",
      "theme_snippet",
      "tool_adapter",
      "builder_tools",
      "code_page",
      "seo_bridge",
      "schema_bridge",
    ]
      .map((name) => [name, null]),
  );
  const body = url.endsWith("/health")
    ? { plugin_version: "1.0.0", features, user: { caps: {} } }
    : method === "GET"
    ? { id: 9, title: "T", type: "page", placeholders: KEYS, valid: true, modified_gmt: null }
    : { id: 10, status: "draft", url: `${base(url)}/?page_id=10`, elements: 500 };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const text = () => new TextDecoder().decode(bytes);
  return { status: 200, url, headers: new Headers(), bytes, text, json: () => JSON.parse(text()) };
}

const base = (url: string) => new URL(url).origin;
