/** What the preview of a redirect says of both its ends: a destination without a page, and a site behind a password. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { type SeoWorld, seoWorld } from "./_seo.ts";

type Instead = (url: URL, method: string) => Response | undefined;

/** A world with a published page at /b/, in which what visitors get may be something else. */
async function ends(instead: Instead = () => undefined): Promise<SeoWorld> {
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input));
    const made = url.pathname.startsWith("/wp-json") ? undefined : instead(url, init?.method ?? "GET");
    return made ?? await fetch(input, init);
  };
  const at = await seoWorld({ fetch: answer });
  addPost(at.cms.state, { type: "page", author: 2, title: "B", status: "publish", slug: "b" });
  return at;
}

const page = (status: number, headers: Record<string, string> = {}) =>
  new Response("<title>x</title>", { status, headers: { "content-type": "text/html", ...headers } });
const preview = async (at: SeoWorld, more: Args = {}) => {
  const args = { site_id: "live", source: "/nobody", destination: "/b/", ...more };
  const shown = await at.kit.preview("set_seo_redirect", args);
  assert.deepEqual(at.cms.writes, []);
  return shown;
};

/** What is said of a destination, and what a visitor gets there. */
const DESTINATIONS: readonly (readonly [destination: string, says: RegExp | null, instead?: Instead])[] = [
  ["/b/", null],
  ["/b", null],
  ["/b/#team", null],
  ["/b?utm_source=x", null],
  ["/nothing/", /^destination: visitors get no page at \/nothing \(404\); correct the address/],
  ["/nothing/?a=1#b", /^destination: visitors get no page at \/nothing \(404\)/],
  ["BASE/nothing", /^destination: visitors get no page at \/nothing \(404\)/],
  ["/gone", /\(410\)/, ({ pathname }) => pathname === "/gone" ? page(410) : undefined],
  [
    "/led",
    /\(404\)/,
    ({ pathname }) =>
      pathname === "/led"
        ? new Response(null, { status: 301, headers: { location: "/nothing/" } })
        : undefined,
  ],
  [
    "/away",
    null,
    ({ pathname }) =>
      pathname === "/away"
        ? new Response(null, { status: 301, headers: { location: "https://other.example/" } })
        : undefined,
  ],
  [
    "/round",
    /no page at \/round: it leads in a circle/,
    ({ pathname }) =>
      pathname === "/round"
        ? new Response(null, { status: 302, headers: { location: "/round" } })
        : undefined,
  ],
  [
    "/crash",
    /no page at \/crash: the site answers visitors with an error of the server \(500\)/,
    ({ pathname }) => pathname === "/crash" ? page(500) : undefined,
  ],
  [
    "/waf",
    /could not be seen whether visitors get a page at \/waf: a firewall/,
    ({ pathname }) => pathname === "/waf" ? page(403) : undefined,
  ],
  [
    "/b/",
    /asks everybody for a password, so it could not be seen/,
    (_, method) => method === "GET" ? page(401, { "www-authenticate": "Basic" }) : undefined,
  ],
];

for (const [destination, says, instead] of DESTINATIONS) {
  Deno.test(`the preview of a redirect to ${destination} ${says ?? "warns of nothing"}`, async () => {
    await using at = await ends(instead);
    const given = destination.replace("BASE", at.cms.base_url);
    const { warnings } = await preview(at, { destination: given });
    assert.equal(warnings.length, says === null ? 0 : 1, warnings.join());
    if (says !== null) assert.match(warnings[0]!, says);
  });
}

Deno.test("another site's page is not asked, though a redirect leads there", async () => {
  const asked: string[] = [];
  await using at = await ends((url) => void asked.push(url.host));
  const { warnings } = await preview(at, { destination: "https://other.example/nothing" });
  assert.match(
    warnings.join(),
    /^https:\/\/other\.example\/nothing is not on live: visitors would leave the site/,
  );
  assert.deepEqual(new Set(asked), new Set([new URL(at.cms.base_url).host]));
});

/** What is said of a source by how it is answered today. */
const SOURCES: readonly (readonly [status: number, says: RegExp, summary: RegExp])[] = [
  [
    200,
    /^visitors get an answer at \/nobody today, and would be sent elsewhere/,
    /; visitors follow it at once$/,
  ],
  [
    401,
    /^the web server asks everybody for a password \(401\), so what stands at \/nobody could not be seen/,
    /; whoever knows the web server's password follows it at once$/,
  ],
  [
    403,
    /^it could not be seen whether visitors get an answer at \/nobody today \(the answer was 403\)/,
    /; visitors follow it at once$/,
  ],
];

for (const [status, says, summary] of SOURCES) {
  Deno.test(`a source that is answered with ${status} is told for what it is`, async () => {
    await using at = await ends(({ pathname }) => pathname === "/nobody" ? page(status) : undefined);
    const shown = await preview(at);
    assert.equal(shown.tier, 3);
    assert.match(shown.summary, summary);
    assert.match(shown.warnings.join(), says);
  });
}
