/** Scenarios that a real WordPress and the stand-in both have to pass. */
import assert from "node:assert/strict";
import type { Post } from "../../../platforms/_content/posts.ts";
import { type CmsSandbox, phpMissing, startCms } from "../../../sandbox/wordpress/start.ts";
import { startWordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { IN_MATRIX, IN_TEST } from "../../tier.ts";
import type { World } from "./_world.ts";

/** A write's result. */
export interface Row {
  id: number;
  status: string;
  url: string;
  verified: boolean | null;
  warnings: string[];
}

/** An image of one pixel, in base64. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let serial = 0;
/** A title nobody used. */
export const title = () => `Draft ${++serial} of ${Date.now()}`;

/** Makes a draft. */
export async function draft(world: World, more: Record<string, unknown> = {}): Promise<Row> {
  return await world.call<Row>("create_draft", { title: title(), content_html: "<p>Text</p>", ...more });
}

/** The post as it stands. */
export const read = (world: World, id: number) => world.call<Post>("get_post", { post_id: id });

/** Something done straight to the site, past the gateway. */
export async function onSite(
  cms: CmsSandbox,
  method: string,
  path: string,
  json?: unknown,
): Promise<Record<string, unknown>> {
  const { username, application_password } = cms.users.admin;
  const response = await fetch(`${cms.base_url}/wp-json/wp/v2/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa(`${username}:${application_password}`)}`,
      "content-type": "application/json",
    },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const body = await response.json();
  assert.ok(response.ok, JSON.stringify(body));
  return body;
}

/** What is shown of a site. */
export type Scenario = (cms: CmsSandbox) => Promise<void>;

const missing = await phpMissing();
/** Whether a real WordPress cannot run here. */
export const ignore = missing !== null && Deno.env.get("CI") !== "true";
/** How a real one is called in names of tests. */
export const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";

/** Registers each scenario twice: on a fresh stand-in, and on the file's one real WordPress. */
export function onBoth(scenarios: Readonly<Record<string, Scenario>>): void {
  let real: CmsSandbox | undefined;
  Deno.test.beforeAll(async () => {
    if (!ignore && IN_MATRIX) real = await startCms({ kind: "wordpress" });
  });
  Deno.test.afterAll(async () => await real?.stop());
  for (const [name, scenario] of IN_TEST ? Object.entries(scenarios) : []) {
    Deno.test(`on the stand-in: ${name}`, async () => {
      await using cms = await startWordPressStandIn();
      await scenario(cms);
      const gateway = cms.requests.filter(({ headers }) =>
        headers["user-agent"] === "site-operations-gateway"
      );
      assert.ok(
        gateway.every((row) =>
          row.method === row.effective_method && ["GET", "HEAD", "POST"].includes(row.method)
        ),
      );
    });
  }
  for (const [name, scenario] of IN_MATRIX ? Object.entries(scenarios) : []) {
    Deno.test({ name: `on ${on}: ${name}`, ignore, fn: async () => await scenario(real!) });
  }
}
