/** What reads texts and values of callers and of upstreams outside of the rules takes at most twice the steps for twice as much. */
import { canonical, sizeOf } from "../../core/canonical.ts";
import { commonEnds } from "../../core/common_ends.ts";
import { Content, parsed } from "../../core/content.ts";
import { hint, quoted } from "../../core/fields.ts";
import { textExcess } from "../../core/json_extent.ts";
import { nearest } from "../../core/nearest.ts";
import { clipped } from "../../core/errors.ts";
import { hiddenIn, hiding } from "../../core/signed_secrets.ts";
import { parsedWithin } from "../../core/steps.ts";
import { redactText, shorten } from "../../guard/audit/redact.ts";
import { differing, hashParts, revisionName } from "../../guard/consent/consent_content.ts";
import { shownChanges } from "../../guard/consent/preview_changes.ts";
import { mergedSchema } from "../../guard/proxied/merged_schema.ts";
import { cleanText, schemaFault, shownSchema, withValues } from "../../guard/proxied/shown_schema.ts";
import { excerpt } from "../../platforms/_content/excerpt.ts";
import { isDocument, isGenerated, literal, pageSource } from "../../platforms/astro/page.ts";
import { filterOf, ordersOf } from "../../platforms/google/filters.ts";
import { encoded } from "../../platforms/github/wire.ts";
import { checkQuery } from "../../platforms/google/gaql.ts";
import { kindAmong, namingOf, toUpstreamArguments } from "../../platforms/tool_servers/arguments.ts";
import { comparedRecord } from "../../platforms/_proxied_calls/compared_records.ts";
import { NamedIds } from "../../platforms/_proxied_calls/named_ids.ts";
import { EventReader } from "../../platforms/tool_servers/stream.ts";
import { plainAddress } from "../../platforms/_proxied_calls/went_live.ts";
import { cacheOf } from "../../platforms/visitor/caches.ts";
import { published, schemaShown, seoShown } from "../../platforms/visitor/expected.ts";
import {
  foreignScripts,
  type PageFacts,
  readPage,
  robotsIn,
  tellsRobots,
} from "../../platforms/visitor/page.ts";
import { wallOf } from "../../platforms/visitor/walls.ts";
import { asBlocks } from "../../platforms/wordpress/pages/pages.ts";
import { readable } from "../../platforms/wordpress/rest/writer.ts";
import { plainName } from "../../platforms/wordpress/rest/records.ts";
import { quotedValue } from "../../platforms/wordpress/rest/warnings.ts";
import { oneLine } from "../../platforms/wordpress/seo/names.ts";
import { checker, fits } from "../../registry/dialect.ts";
import { likely } from "../../registry/likely.ts";
import { ascii } from "../../registry/listing.ts";
import { blockOf } from "../../platforms/astro/block.ts";
import { readDocument, withDeployment, withKey } from "../../tools/markdown/_frontmatter.ts";
import { plain as crmPlain } from "../../tools/crm/_markdown.ts";
import { plain as analyticsPlain } from "../../tools/analytics/_markdown.ts";
import { fromBase64, plainFilename } from "../../tools/posts/_images.ts";
import { bytesOf, contentOf } from "../../tools/static/_files.ts";
import { assertDoubles, type Reader } from "../doubled.ts";

const KNOWN = ["title", "meta_description", "content_html", "scheduled_at", "bulk_write_static_files"];
const BUDGET = { nodes: 50_000, depth: 64 };
const FILE = { path: "src/pages/a.astro", file: "src/pages/a.astro", layout: true };

/** A page that says nothing but that. */
const pageOf = (of: string): PageFacts => ({
  title: of,
  description: of,
  robots: [of],
  canonical: of,
  social: { "og:title": of },
  structured: [],
  schemas: [],
  headings: [{ level: 1, text: of }],
  h1_count: 1,
  images: { count: 0, without_alt: 0 },
  links: [],
  base: null,
  refresh: null,
  scripts: [],
  language: null,
  text: of,
  metas: { generator: of },
  comments: [of],
  body_class: "",
  cut: false,
});

/** Schemas of arguments, as tools have them: of files, of fields that are closed, of texts that have to fit. */
const CHECKS = {
  files: checker({
    type: "object",
    required: ["files"],
    properties: {
      files: {
        type: "array",
        maxItems: 5000,
        items: {
          type: "object",
          required: ["path", "content"],
          properties: { path: { type: "string", maxLength: 200 }, content: { type: "string" } },
        },
      },
      title: { type: "string", pattern: "^[a-z]+$" },
      of: { type: "object", additionalProperties: { type: "string" } },
    },
  }),
};

const TEXTS: Readonly<Record<string, Reader<string>>> = {
  "core/common_ends.ts": (of) => commonEnds(of, `${of}x`),
  "core/content.ts Content": (of) => {
    const content = new Content([{ type: "text", text: of }, { type: "x", of }], { of });
    return [content.value, content.beside, content.shown, content.toJSON()];
  },
  "core/content.ts parsed": parsed,
  "core/fields.ts": (of) => [quoted(of), hint(of, KNOWN)],
  "core/json_extent.ts": (of) => textExcess(of, BUDGET),
  "core/nearest.ts": (of) => [nearest(of, KNOWN), nearest("title", [of, `${of}_title`])],
  "core/errors.ts": clipped,
  "core/signed_secrets.ts": (
    of,
  ) => [hiding(["secret&/+value", "aaaaaaaaaaaa"])(of), hiding([of])("a".repeat(1000))],
  "core/steps.ts parsedWithin": (of) => parsedWithin(of),
  "guard/audit/redact.ts": (of) => [redactText(of), shorten({ of, [of]: [of] })],
  "guard/consent/consent_content.ts": (of) => revisionName({ of, [of]: of }),
  "guard/consent/preview_changes.ts": (of) => shownChanges([{ field: of, from: null, to: of }]),
  "registry/dialect.ts": (
    of,
  ) => [CHECKS.files({ files: [], title: of, [of]: 1 }), fits({ type: "string" }, of)],
  "registry/dialect.ts, names": (of) => CHECKS.files({ files: [], [of]: 1 }),
  "registry/likely.ts": (of) => {
    const tools = [...KNOWN, of].map((name) => ({ name, description: of, own: true }));
    return [likely(of, tools), likely(`a-${of}`, tools), likely("create_of", tools)];
  },
  "registry/listing.ts ascii": ascii,
  "platforms/visitor/page.ts": (of) => [
    readPage(of), // a text this short is read before anybody else has a turn
    tellsRobots(robotsIn(of), "noindex"),
    foreignScripts({ scripts: [of], base: of }, "https://acme.example/a", "https://acme.example"),
  ],
  "platforms/visitor/walls.ts": (of) => [
    wallOf({ status: 403, headers: new Headers(), page: pageOf(of) }),
    cacheOf(new Headers(), pageOf(of)),
  ],
  "platforms/visitor/expected.ts": (of) => {
    const visit = { robots_header: [of] } as never;
    return [
      published({ title: of, parts: { content_html: of }, noindex: true })(pageOf(of), visit),
      seoShown({ title: of, canonical: of, robots: { noindex: true } })(pageOf(`x${of}`), visit),
      schemaShown({ "@type": of, name: of })(
        { ...pageOf(of), schemas: [{ "@type": of, name: `x${of}` }] },
        visit,
      ),
    ];
  },
  "platforms/_content/excerpt.ts": (of) => excerpt(of, ["secret&/+value"]),
  "platforms/astro/page.ts": (of) => [
    isGenerated(of),
    isDocument(of),
    isDocument(of.replaceAll("<p>", "<!---->")),
    literal(of),
    pageSource({ ...FILE, html: of, title: of, description: of } as Parameters<typeof pageSource>[0]),
  ],
  "platforms/github/wire.ts encoded": encoded,
  "platforms/tool_servers/arguments.ts namingOf": (of) => namingOf(of, kindAmong(() => [of])),
  "platforms/google/gaql.ts": (of) => checkQuery(`select ${of}`, null),
  "platforms/tool_servers/stream.ts": (of) => {
    const reader = new EventReader((one) => one === 1);
    for (let at = 0; at < of.length; at += 10) reader.add(new TextEncoder().encode(of.slice(at, at + 10)));
  },
  "platforms/_proxied_calls/named_ids.ts": (of) => new NamedIds([of], [of]).ids,
  "guard/proxied/shown_schema.ts cleanText": (of) => cleanText(of, 100),
  "platforms/_proxied_calls/went_live.ts plainAddress": plainAddress,
  "platforms/wordpress/pages/pages.ts asBlocks": asBlocks,
  "platforms/wordpress/rest/writer.ts readable": readable,
  "platforms/wordpress/rest/records.ts plainName": plainName,
  "platforms/wordpress/rest/warnings.ts quotedValue": quotedValue,
  "platforms/wordpress/seo/names.ts oneLine": oneLine,
  "platforms/astro/block.ts": (of) => [blockOf(`---\n${of}\n---\n`, "content"), blockOf(of, "content")],
  "tools/markdown/_frontmatter.ts": (of) => [
    readDocument(`---\ntitle: a\n---\n${of}`, "content"),
    withKey(`---\ntitle: a\n---\n${of}`, "status", of, "content"),
    withDeployment(`---\ntitle: a\n---\n${of}`, { of }, "content"),
  ],
  "tools/markdown/_frontmatter.ts, YAML": (of) => readDocument(`---\n${of}\n---\n`, "content"),
  "tools/crm/_markdown.ts plain": crmPlain,
  "tools/analytics/_markdown.ts plain": analyticsPlain,
  "tools/posts/_images.ts": (of) => [plainFilename(of, "png"), fromBase64(of, "data")],
  "tools/static/_files.ts": (
    of,
  ) => [contentOf(bytesOf(of, "utf-8", "content")), bytesOf(of, "base64", "content")],
};

const RULE = { ask: {}, names: {}, like: {}, unshown: [], apart: [], failed: {} };

type Fields = Readonly<Record<string, unknown>>;
/** The names or words of a value, as a list. */
const namesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : Object.keys(Object(value))).filter((one) => typeof one === "string");

const VALUES: Readonly<Record<string, Reader<unknown>>> = {
  "core/canonical.ts": (of) => [canonical(of), sizeOf(of, 50_000)],
  "core/content.ts Content": (of) => new Content([of], of as Fields).shown,
  "core/signed_secrets.ts hiddenIn": (of) => hiddenIn(of, hiding(["secret&/+value"])),
  "guard/audit/redact.ts shorten": (of) => shorten(of, 1_000_000),
  "guard/consent/consent_content.ts": (of) => differing(hashParts(of as Fields), hashParts({ of })),
  "guard/consent/preview_changes.ts": (of) => shownChanges([{ field: "of", from: null, to: of }]),
  "registry/dialect.ts": (
    of,
  ) => [CHECKS.files({ files: of }), fits({ type: "array", items: { type: "string" } }, of)],
  "registry/dialect.ts, names": (of) => CHECKS.files({ files: [], of }),
  "registry/dialect.ts, unknown names": (of) => CHECKS.files(of as Record<string, unknown>),
  "registry/listing.ts ascii": ascii,
  "platforms/google/filters.ts": (of) => filterOf({ or_group: { expressions: of } }, "dimension_filter"),
  "platforms/google/filters.ts ordersOf": (of) => ordersOf(of, "order_bys"),
  "platforms/_proxied_calls/named_ids.ts": (of) => new NamedIds([of]).ids,
  "guard/proxied/merged_schema.ts": (of) =>
    mergedSchema([
      { schema: { type: "object", properties: of, required: namesOf(of) }, sites: ["a"] },
      { schema: { type: "object", properties: of, required: namesOf(of).slice(1) }, sites: ["b"] },
    ]),
  "guard/proxied/shown_schema.ts": (of) => [
    schemaFault(of),
    schemaFault({ properties: of, required: namesOf(of) }),
    withValues({ properties: of }, { n1: namesOf(of) }),
    ...[true, false].map((read) =>
      shownSchema({ properties: of, required: namesOf(of), enum: of, anyOf: of }, { read, words: {} })
    ),
  ],
  "platforms/tool_servers/arguments.ts": (of) => {
    const properties = Object.fromEntries(Object.keys(of as Fields).map((name) => [`body_${name}`, {}]));
    toUpstreamArguments({ input_schema: { properties } }, of as Fields, "a");
  },
  "platforms/_proxied_calls/compared_records.ts": (of) => [
    ...(["added", "removed", "whole"] as const).map((lists) =>
      comparedRecord({ of }, { of: [of, 1] }, { ...RULE, id: "id" } as never, lists)
    ),
    comparedRecord(of as Fields, of as Fields, { ...RULE, id: "id" } as never),
  ],
};

Deno.test("what reads texts and values of others takes at most twice the steps for twice as much", async () => {
  await assertDoubles(TEXTS, VALUES);
});
