/** What every page of the console holds to, by the router's own list: how it is built, what it shows of hostile texts, how large it is, what it answers to nonsense. */
import assert from "node:assert/strict";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { isUnseen } from "../../core/unseen.ts";
import { addressOf, isPage, routes } from "./console_kit.ts";
import { hostileWorld } from "./console_world.ts";
import { bytesOf, type PersonBrowser, type Shown } from "./kit.ts";

type Element = DefaultTreeAdapterTypes.Element;

const PAGE_BYTES = 100_000;
/** What a person reads whole before deciding may be longer. */
const WHOLE_TEXTS = ["/admin/approvals/:id"];

/** Every element, in the order of the document. */
function elementsOf(node: DefaultTreeAdapterTypes.ParentNode): Element[] {
  return node.childNodes.flatMap((child) => "tagName" in child ? [child, ...elementsOf(child)] : []);
}

const textOf = (node: DefaultTreeAdapterTypes.Node): string =>
  "value" in node ? node.value : "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
const attribute = ({ attrs }: Element, name: string) => attrs.find((one) => one.name === name)?.value;
const textless = ["script", "style", "textarea"];

/** Signs that nobody sees, in what is read on a page. */
function unseenIn(node: DefaultTreeAdapterTypes.Node): string[] {
  if ("value" in node) return [...node.value].filter((sign) => sign !== "\u200d" && isUnseen(sign));
  if ("tagName" in node && textless.includes(node.tagName)) return [];
  return "childNodes" in node ? node.childNodes.flatMap(unseenIn) : [];
}

function assertBuilt(page: Shown, what: string): void {
  const document = parse(page.text);
  const all = elementsOf(document);
  const of = (tag: string) => all.filter(({ tagName }) => tagName === tag);
  assert.equal(attribute(of("html")[0]!, "lang"), "en", what);
  assert.ok(textOf(of("title")[0]!).length > 3, `${what}: a title`);
  assert.equal(of("h1").length, 1, `${what}: one h1`);
  assert.ok(textOf(of("h1")[0]!).trim().length > 1, `${what}: a heading with text`);
  assert.equal(of("main").length, 1, `${what}: one main`);
  assert.ok(of("header").length + of("nav").length > 0, `${what}: landmarks beside main`);
  const ids = all.flatMap((one) => attribute(one, "id") ?? []);
  const labels = new Set(of("label").map((one) => attribute(one, "for")));
  assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], `${what}: ids twice`);
  for (const field of all.filter(({ tagName }) => ["input", "select", "textarea"].includes(tagName))) {
    if (attribute(field, "type") === "hidden") continue;
    const isNamed = labels.has(attribute(field, "id")) || attribute(field, "aria-label") !== undefined ||
      attribute(field, "aria-labelledby") !== undefined;
    assert.ok(isNamed, `${what}: the field ${attribute(field, "name")} has no label`);
  }
  assert.equal(of("b").length, 0, `${what}: an element of a hostile text`);
  assert.ok(of("script").every((one) => attribute(one, "src")?.startsWith("/admin/assets/")), what);
  assert.deepEqual(unseenIn(document), [], `${what}: signs that nobody sees`);
}

function assertHeaders({ headers }: Shown, what: string): void {
  const policy = headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action "]) {
    assert.ok(policy.includes(part), `${what}: ${part} in ${policy}`);
  }
  assert.doesNotMatch(policy, /unsafe|\*|https?:/, what);
  assert.equal(headers.get("cache-control"), "no-store", what);
  assert.match(headers.get("referrer-policy") ?? "", /^(same-origin|no-referrer)$/, what);
  assert.equal(headers.get("x-content-type-options"), "nosniff", what);
  assert.equal(headers.get("x-frame-options"), "DENY", what);
}

/** How much a browser loads for a page: itself, its stylesheet, scripts and mark, each once. */
async function weighed(page: Shown, browser: PersonBrowser, known: Map<string, number>): Promise<number> {
  let bytes = bytesOf(page.text);
  for (const [, asset] of page.text.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]*)"/g)) {
    if (!known.has(asset!)) known.set(asset!, bytesOf((await browser.open(asset!)).text));
    bytes += known.get(asset!)!;
  }
  return bytes;
}

Deno.test("every page is built for everybody, shows hostile texts as text, has its headers and is small", async () => {
  await using world = await hostileWorld();
  const { places, master, admin, owner } = world;
  const assets = new Map<string, number>();
  let opened = 0;
  for (const { path } of routes().filter(isPage)) {
    for (
      const [who, browser] of Object.entries({ master, admin, owner, nobody: world.nobody() })
    ) {
      const page = await browser.open(addressOf(path, places));
      const what = `${path} for ${who} (${page.status})`;
      assert.ok(page.status < 500, `${what}: ${page.text}`);
      assertBuilt(page, what);
      assertHeaders(page, what);
      const bytes = await weighed(page, browser, assets);
      if (!WHOLE_TEXTS.includes(path)) assert.ok(bytes < PAGE_BYTES, `${what}: ${bytes} bytes`);
      opened++;
    }
  }
  assert.ok(opened > 100, String(opened));
});

/** What stands behind the address of a page, or in the place of an id. */
const QUERIES = [
  "cursor=%25%25&after=%00&page=-1&from=yesterday&to=never",
  "page=1e9&cursor=bm9uc2Vuc2U&from=2026-13-45T99:99Z",
  "q=a&q=b&site=a&site=b&done=x&done=y&counted&counted&cursor=&cursor=a",
  `q=${"x".repeat(10_000)}&tool=${"%22%3E%3Cb%20x%3D".repeat(500)}&person=${"%E2%80%AE".repeat(1000)}`,
  "site=%3Cscript%3E&status=nonsense&outcome=nonsense&tier=99&platform=__proto__&project=constructor&view=x",
  "%E0%A4%A=1&a=%&=&&&;;",
  ["site", "person", "client", "token", "set", "cursor", "after", "id", "view"].map((name) =>
    `${name}=${"x".repeat(4000)}`
  ).join("&"),
];
const IDS = ["none", "__proto__", "%00", "..%2F..", "%E0%A4%A", "%22%3E%3Cb%20x%3D", "x".repeat(5000)];

Deno.test("broken cursors and dates, unknown ids, repeated parameters and huge queries are answered with a page that says so", async () => {
  await using world = await hostileWorld();
  const { gw, places, master, owner } = world;
  for (const { path } of routes().filter(isPage)) {
    const addresses = [
      ...QUERIES.map((query) => `${addressOf(path, places)}?${query}`),
      ...path.includes(":")
        ? IDS.map((id) => path.split("/").map((part) => part.startsWith(":") ? id : part).join("/"))
        : [],
    ];
    for (const address of addresses) {
      for (const browser of address.includes("?") ? [master] : [master, owner]) {
        const page = await browser.open(address);
        const what = `${address.slice(0, 120)} (${page.status})`;
        assert.ok(page.status < 500, what);
        if (page.status < 400 || page.status === 414 || page.status === 431) continue;
        assertBuilt(page, what);
        assert.ok(bytesOf(page.text) < PAGE_BYTES, what);
      }
    }
  }
  const faults = gw.logged.filter(({ event }) => event === "fault" || event === "internal");
  assert.deepEqual(faults, []);
});
