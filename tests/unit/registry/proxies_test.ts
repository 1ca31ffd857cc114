/** What is known of sites' own tools: the specification's names, their classes, and what a file cannot say. */
import assert from "node:assert/strict";
import { RegistryError } from "../../../registry/files.ts";
import { type Proxies, readProxies } from "../../../registry/proxies.ts";
import { CONNECTORS } from "../../connectors.ts";
import { withFiles } from "../../e2e/dropped.ts";
import { words } from "../../words.ts";

const SOURCES = await readProxies([new URL("../../../", import.meta.url)], CONNECTORS);
const of = (source: string): Proxies => SOURCES.find((one) => one.source === source)!;

/** The specification's names for a page builder's server. */
const ADDERS =
  "accordion alert button container counter custom-js divider google-maps heading html icon icon-box icon-list image " +
  "image-box image-carousel menu-anchor progress rating shortcode social-icons spacer star-rating stock-image tabs " +
  "testimonial text-editor text-path toggle video widget atomic-button atomic-divider atomic-heading atomic-image " +
  "atomic-paragraph atomic-svg atomic-video atomic-widget atomic-youtube div-block flexbox";
const OTHERS =
  "create-page build-page apply-template import-template export-page save-as-template batch-update duplicate-element " +
  "find-element move-element remove-element reorder-elements update-container update-element update-widget " +
  "update-atomic-widget update-page-settings update-global-colors update-global-typography detect-builder-version " +
  "get-container-schema get-element-settings get-global-settings get-page-structure get-widget-schema list-pages " +
  "list-templates list-widgets search-images sideload-image upload-svg-icon";
const ADAPTER = ["discover-abilities", "execute-ability", "get-ability-info"].map((name) =>
  `mcp-adapter-${name}`
);
const SPECIFIED = [
  ...ADDERS.split(" ").map((name) => `builder-mcp-add-${name}`),
  ...OTHERS.split(" ").map((name) => `builder-mcp-${name}`),
  ...ADAPTER,
];

Deno.test("the specification's 76 names of a page builder and its 36 of the CRM are known", () => {
  assert.equal(SPECIFIED.length, 76);
  assert.deepEqual(SPECIFIED.filter((name) => !of("cms").known.has(name)), []);
  const crm = [...of("crm").known.values()];
  assert.deepEqual([crm.length, crm.filter(({ writes }) => writes).length], [36, 12]);
  for (const { name, about } of SOURCES.flatMap(({ known }) => [...known.values()])) {
    assert.ok(about.length < 150 && !about.endsWith("."), `${name}: ${about}`);
  }
});

Deno.test("another of the CRM's tools shows the record of each known write; a WordPress's writes are held instead", () => {
  const writes = (source: string) => [...of(source).known.values()].filter(({ writes }) => writes);
  assert.deepEqual(writes("crm").filter(({ name }) => of("crm").shownBy(name) === undefined), []);
  assert.deepEqual(
    writes("cms").filter(({ name }) => of("cms").holdRule(name, "emcp-tools-server") === undefined),
    [],
  );
  const readers = SOURCES.flatMap((source) =>
    [...source.known.keys()].flatMap((name) => source.shownBy(name)?.tool ?? [])
  );
  const known = SOURCES.flatMap(({ known }) => [...known.values()]);
  for (const tool of new Set(readers)) {
    const reader = known.find(({ name }) => name === tool || name.endsWith(`-${tool}`));
    assert.equal(reader?.writes, false, tool);
  }
});

Deno.test("what our words send a reader to is a tool that is known, and they are short", () => {
  const names = new Set(SOURCES.flatMap(({ known }) => [...known.keys()]));
  for (const { words, known } of SOURCES) {
    const all = [words, ...[...known.values()].map((tool) => tool.words)].flatMap(Object.entries);
    const texts = [...all, ...[...known.values()].map(({ name, about }) => [name, about])];
    for (const [name, text] of texts as [string, string][]) {
      for (
        const [named] of text.matchAll(/\b[a-z-]+_[a-z]+-[a-z-]+|\b(?:builder-mcp|mcp-adapter)-[a-z-]+/g)
      ) {
        assert.ok(names.has(named), `${name}: ${named}`);
      }
      assert.ok(text.length <= 120 && !text.endsWith("."), `${name}: ${text}`);
    }
  }
  assert.match(of("cms").known.get("builder-mcp-build-page")!.words.structure!, /children/);
  const social = of("crm").known.get("social-media-posting_create-post")!.words;
  assert.deepEqual([social.tags, of("crm").words.tags], ["Ids of tags", "Names of tags"]);
});

Deno.test("a name is served under our prefix, whatever the server's is, and an older name under the newer tool's", () => {
  const cms = of("cms");
  for (
    const [upstream, served] of [
      ["elementor-mcp-add-heading", "builder-mcp-add-heading"],
      ["emcp-tools-add-heading", "builder-mcp-add-heading"],
      ["emcp-tools-detect-elementor-version", "builder-mcp-detect-builder-version"],
      ["mcp-adapter-execute-ability", "mcp-adapter-execute-ability"],
      ["core-get-site-info", "core-get-site-info"],
      ["emcp-tools-", "emcp-tools-"],
    ]
  ) assert.equal(cms.servedName(upstream!), served);
  assert.equal(of("crm").servedName("contacts_get-contact"), "contacts_get-contact");
});

Deno.test("first words, patterns and hints make a tool a write, and nothing makes it a read", () => {
  const writes = (source: string, name: string, hints = {}) => of(source).mustWrite(name, hints) !== null;
  for (const name of ["builder-mcp-get-x", "builder-mcp-list-x", "mcp-adapter-discover-x", "search-x"]) {
    assert.equal(writes("cms", name), false, name);
    assert.equal(writes("cms", name, { read_only: true }), false);
    assert.equal(writes("cms", name, { read_only: false }), true);
    assert.equal(writes("cms", name, { destructive: true }), true);
  }
  for (
    const name of words(`
      builder-mcp-export-page mcp-adapter-execute-ability sideload-image getter-x x-get-y
    `)
  ) {
    assert.equal(writes("cms", name, { read_only: true }), true, name);
  }
  for (const verb of ["create", "update", "upsert", "edit", "add", "remove", "send"]) {
    assert.equal(writes("crm", `things_${verb}-thing`), true, verb);
  }
  assert.equal(writes("crm", "things_get-thing"), false);
  const lying = of("cms").strictest({ writes: false, effect: "read" }, "builder-mcp-list-pages", {
    read_only: false,
  });
  assert.deepEqual(lying, { writes: true, effect: "site" });
});

Deno.test("a file that contradicts itself or names what nobody brings is refused with every fault", async () => {
  const text = `
source: other
kinds: [cms, shop]
bound_to: base_url
credential: cmss
servers: [a]
effect: site
effects: [site]
read_words: [get]
word_prefixes: []
tools:
  add-x: { effect: read, about: Add }
  get-y: { effect: page, about: Change }
`;
  await withFiles({ "manifests/proxies/mine.yaml": text }, async (folder) => {
    const thrown = await readProxies([folder], CONNECTORS).then(() => null, (fault: unknown) => fault);
    assert.ok(thrown instanceof RegistryError);
    for (
      const said of [
        /"shop" is no kind of site/,
        /no connector has "cmss"/,
        /source "other" is not the file's name/,
        /tools\.add-x: must be a write/,
        /tools\.get-y: names no argument for its page/,
      ]
    ) assert.match(thrown.message, said);
  });
});
