/** One real WordPress for the tests of a file, kits that stand at it, and a look at it past the gateway. */
import assert from "node:assert/strict";
import { type CmsSandbox, phpMissing } from "../../sandbox/wordpress/start.ts";
import { CmsKit } from "../cms_kit.ts";
import type { KitOptions } from "../kit.ts";
import { Asker, type Json } from "../sandbox/asker.ts";
import { startWordPress, type WordPressOptions } from "../wordpress.ts";

const missing = await phpMissing();
/** Whether a real WordPress cannot run here; with CI=true it must. */
export const ignore = missing !== null && Deno.env.get("CI") !== "true";
/** Where such tests run, for their names. */
export const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";

/** A kit at the file's WordPress, by the true clock. */
export class Real implements AsyncDisposable {
  readonly ask: Asker;
  constructor(readonly kit: CmsKit, readonly site: CmsSandbox) {
    this.ask = new Asker(site);
  }

  static async open(site: CmsSandbox, options: KitOptions = {}): Promise<Real> {
    return new Real(await CmsKit.open(site, { realClock: true, ...options }), site);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kit[Symbol.asyncDispose]();
  }

  /** A post or page as WordPress itself shows it to its administrator. */
  async stored(id: number, type = "posts"): Promise<Json> {
    const { status, body } = await this.ask.rest("admin", "GET", `/${type}/${id}?context=edit`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** What a visitor gets who is signed in nowhere: the status of the REST record and of the page itself. */
  async visitor(id: number): Promise<[number, number]> {
    const record = await this.ask.rest(null, "GET", `/posts/${id}`);
    const address = await this.ask.send(null, "GET", `/?p=${id}`);
    const moved = address.headers.get("location");
    if (moved === null) return [record.status, address.status];
    const page = await fetch(moved, { redirect: "manual" });
    await page.body?.cancel();
    return [record.status, page.status];
  }
}

/** What a visitor gets of a post that is not public, and of one that is. */
export const HIDDEN = [401, 404];
export const PUBLIC = [200, 200];

let serial = 0;
/** A text nobody used. */
export const fresh = (word: string) => `${word} ${++serial} of ${Date.now()}`;

/** Registers tests that share one WordPress, which it answers for others; none may rely on what another left there. */
export function onWordPress(
  tests: Readonly<Record<string, (site: CmsSandbox) => Promise<void>>>,
  options: WordPressOptions = {},
): () => CmsSandbox {
  let site: CmsSandbox | undefined;
  Deno.test.beforeAll(async () => {
    if (!ignore) site = await startWordPress(options);
  });
  Deno.test.afterAll(async () => await site?.stop());
  for (const [name, fn] of Object.entries(tests)) {
    Deno.test({ name: `on ${on}: ${name}`, ignore, fn: async () => await fn(site!) });
  }
  return () => site!;
}
