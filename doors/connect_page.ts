/** How the pages of connecting look: plain, dark, without scripts, from a phone's width on. */
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { ConnectPage } from "../guard/connect_pages.ts";

const STYLE = `:root{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;padding:24px 16px;background:#14161a;color:#e6e8ec;font:16px/1.5 system-ui,sans-serif}
main{max-width:560px;margin:0 auto}
h1{margin:0 0 16px;font-size:24px;line-height:1.25}
h2{margin:24px 0 8px;font-size:16px;color:#aab1bd}
p{margin:0 0 12px;overflow-wrap:anywhere}
ul{margin:0;padding-left:20px}
li{margin:0 0 6px}
a{display:inline-block;margin-top:24px;padding:12px 24px;border-radius:6px;background:#4c8dff;color:#0b0d10;font-weight:600;text-decoration:none}
a:focus-visible{outline:3px solid #e6e8ec;outline-offset:2px}
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Nothing is loaded, nothing runs, nobody frames it, and its address goes to nobody. */
export function pageHeaders(): Readonly<Record<string, string>> {
  return {
    "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; ` +
      "form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  };
}

/** The page; everything in it that came from elsewhere is escaped. */
export async function renderPage({ title, paragraphs, lists = [], next }: ConnectPage): Promise<string> {
  const page = html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <main>
    <h1>${title}</h1>
    ${paragraphs.map((text) => html`<p>${text}</p>`)}
    ${lists.map(({ heading, items }) =>
      html`
        <h2>${heading}</h2>
        <ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
      `
    )}
    ${next ? html`<a href="${next.href}">${next.label}</a>` : ""}
        </main>
      </body>
    </html>
  `;
  return String(await page).trimStart();
}
