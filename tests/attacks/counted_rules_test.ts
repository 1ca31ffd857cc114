/** Every rule reads at most twice as long what is twice as long: counted in steps, with texts and values made to be slow. */
import assert from "node:assert/strict";
import { assertDoubles, type Reader } from "../doubled.ts";
import * as branch from "../../rules/branch.ts";
import * as change from "../../rules/change.ts";
import * as comparison from "../../rules/comparison.ts";
import * as head from "../../rules/data_head.ts";
import * as file from "../../rules/file.ts";
import { emailNeedle } from "../../rules/finding/email.ts";
import { markupOf } from "../../rules/finding/markup.ts";
import { fromAbroadAs, phoneNeedle } from "../../rules/finding/phone.ts";
import * as signs from "../../rules/finding/signs.ts";
import { textNeedle } from "../../rules/finding/text.ts";
import * as location from "../../rules/crm_location.ts";
import * as path from "../../rules/path.ts";
import * as pathNames from "../../rules/path_names.ts";
import * as publishing from "../../rules/publishing.ts";
import * as redirect from "../../rules/redirect.ts";
import * as redirectUri from "../../rules/redirect_uri.ts";
import * as schedule from "../../rules/schedule.ts";
import * as seoSchema from "../../rules/seo_schema.ts";
import * as structured from "../../rules/structured_data.ts";
import * as text from "../../rules/text.ts";
import * as visitor from "../../rules/visitor_address.ts";
import { pullBody, quietText } from "../../rules/pull_text.ts";
import { around, replacing } from "../../rules/replacements.ts";
import * as wording from "../../rules/wording.ts";
import * as content from "../../rules/code_pages/content.ts";
import * as css from "../../rules/code_pages/css.ts";
import * as html from "../../rules/code_pages/html.ts";
import * as parts from "../../rules/code_pages/parts.ts";
import * as scope from "../../rules/code_pages/scope.ts";
import * as script from "../../rules/code_pages/script.ts";
import * as raises from "../../rules/code_pages/script_raises.ts";
import * as tags from "../../rules/code_pages/tags.ts";
import * as tokens from "../../rules/code_pages/tokens.ts";
import * as proxiedArguments from "../../rules/proxied/arguments.ts";
import * as names from "../../rules/proxied/names.ts";
import * as typed from "../../rules/proxied/typed.ts";
import type { Change } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { rewrittenIn } from "./_rewritten.ts";
import { SHOWN_TEXTS, SHOWN_VALUES } from "./_shown_rules.ts";

type Named<Given> = Readonly<Record<string, Reader<Given>>>;
type Names = Record<string, unknown>;

const HOME = redirect.homeOf("https://acme.example/shop");
const NOW = Date.UTC(2026, 0, 1);
/** What takes every way through a reader of numbers: a way that is taken by all of a text but its end is counted apart from them. */
const NUMBERS = "1.a:1 1:a1:+1;&#49;1&a%31:%x\\/1.";
const looked = (given: string) => ({
  parts: { date: given, title: given },
  changed: { by: given, at: given },
  noindex: null,
  warnings: [given],
});

/** Arguments held to schemas that say as much as they can of them. */
const typedBy = (args: Names, name = "of") =>
  typed.typeFault(args, {
    schema: {
      properties: {
        [name]: { anyOf: [{ type: "integer" }, { $ref: "#/$defs/any" }], allOf: [{ $ref: "#/$defs/any" }] },
      },
      $defs: { any: { items: { $ref: "#/$defs/any" }, properties: { n1: { $ref: "#/$defs/any" } } } },
    },
    values: {},
    shown: (one) => one,
  });

/** By module and function: what reads a text. */
const TEXTS: Readonly<Record<string, Named<string>>> = {
  ...SHOWN_TEXTS,
  "branch.ts": {
    branchName: (of) => branch.branchName(of, "ref"),
    refName: (of) => branch.refName(of, "ref"),
    readAt: (of) => branch.readAt(of, { get: () => Promise.resolve(of) }),
  },
  "change.ts": {
    refuseUnseen: (of) => change.refuseUnseen(of, "html", of),
    maybeUnseen: (of) => change.maybeUnseen(null, of),
  },
  "crm_location.ts": { isLocationKind: location.isLocationKind },
  "file.ts": {
    runsInBuild: (of) => [file.runsInBuild(of, () => ""), file.runsInBuild("a.css", () => of)],
    isShown: file.isShown,
    runsAsServed: (of) => file.runsAsServed(`public/${of}`),
    mayBeShown: (of) => file.mayBeShown(`public/${of}`),
  },
  "finding/email.ts": {
    emailNeedle: (of) => [emailNeedle("a@a.aa").spots(of), emailNeedle(`a@a.aa`).spots(`a${of}`)],
  },
  "finding/markup.ts": { markupOf },
  "finding/rewriting.ts": { rewritten: rewrittenIn, exactly: rewrittenIn },
  "finding/phone.ts": {
    fromAbroadAs: (of) => fromAbroadAs(of, `+49${of}`),
    phoneNeedle: (of) => phoneNeedle("+49 11111").spots(`${NUMBERS}${of}${NUMBERS}`),
  },
  "finding/signs.ts": {
    signAt: (of) => signs.signAt(of, 0, true),
    isUnseen: signs.isUnseen,
    comparable: signs.comparable,
    isFigure: signs.isFigure,
    isOfWords: signs.isOfWords,
    partsOf: signs.partsOf,
  },
  "finding/text.ts": { textNeedle: (of) => textNeedle("aa aa").spots(of) },
  "path.ts": {
    sourcePath: (of) => path.sourcePath(of, "path"),
    pathPrefix: (of) => path.pathPrefix(of, "prefix"),
    writablePath: (of) => path.writablePath(of, "path"),
    markdownPath: (of) => path.markdownPath(`${of}.md`, "path"),
    underPrefix: (of) => [path.underPrefix("a", of, "path"), path.underPrefix(of, "a", "path")],
    isBlocked: path.isBlocked,
  },
  "path_names.ts": {
    percentDecoded: pathNames.percentDecoded,
    plainPath: pathNames.plainPath,
    blockedFor: pathNames.blockedFor,
    isBlocked: pathNames.isBlocked,
  },
  "publishing.ts": {
    isPublishedWord: publishing.isPublishedWord,
    wouldPublish: (of) => publishing.wouldPublish({ content: of, status: [of], publish: of, [of]: true }),
  },
  "redirect.ts": {
    homeOf: (of) => redirect.homeOf(`https://acme.example/${of}`),
    redirectOf: (of) => redirect.redirectOf({ source: `/${of}`, destination: `/b${of}`, status: 301 }, HOME),
    redirectSource: (
      of,
    ) => [redirect.redirectSource(`/a${of}`, HOME), redirect.redirectSource(`/${of}a`, HOME)],
    redirectDestination: (of) => redirect.redirectDestination(`https://acme.example/${of}`, HOME),
    pathOnSite: (of) => redirect.pathOnSite(`https://acme.example/shop${of}`, HOME),
    leavesSite: (of) => redirect.leavesSite({ destination: `https://${of}`, path: of }, of),
    pathKey: redirect.pathKey,
    mustStay: (of) => redirect.mustStay(`/${of}`),
    sameDestination: (of) => redirect.sameDestination(`/${of}`, `/${of}`, HOME),
  },
  "redirect_uri.ts": {
    redirectFault: (of) => redirectUri.redirectFault(`cursor://${of}`),
    ownScheme: (of) => redirectUri.ownScheme(`cursor://${of}`),
    isLoopbackRedirect: (of) => redirectUri.isLoopbackRedirect(`http://127.0.0.1/${of}`),
    redirectAllowed: (of) =>
      redirectUri.redirectAllowed(`http://127.0.0.1/${of}`, [of, `http://127.0.0.1/${of}x`]),
    redirectHost: (of) => redirectUri.redirectHost(`cursor://a${of}`),
  },
  "visitor_address.ts": {
    unreadFor: (of) =>
      visitor.unreadFor(
        new URL(
          `https://acme.example/${encodeURI(of.toWellFormed())}?p=${encodeURIComponent(of.toWellFormed())}`,
        ),
      ),
    visitorAddress: (of) => visitor.visitorAddress(`/${of}`, "https://acme.example/blog", "path"),
  },
  "schedule.ts": {
    siteTimeWords: (of) => schedule.siteTimeWords("scheduled_at", of),
    parseMoment: (of) => schedule.parseMoment(of),
    parseSchedule: (of) => schedule.parseSchedule(`2026-11-21${of}`, NOW),
    checkSchedule: (of) => schedule.checkSchedule(of, NOW),
    atSite: (of) => schedule.atSite({ at: NOW, utc: "" }, of),
    scheduleAt: (of) => schedule.scheduleAt(of, NOW, () => Promise.resolve(of)),
  },
  "seo_schema.ts": { pageSchema: seoSchema.pageSchema },
  "structured_data.ts": {
    checkStructured: (of) =>
      structured.checkStructured(`<script type="application/ld+json">${of}</script>`, "data"),
    requireEnclosed: (of) => structured.requireEnclosed(of, "data"),
    dataIn: (of) => structured.dataIn(`<script>${of}`),
    isMixed: structured.isMixed,
    sameData: (of) => structured.sameData(of, of),
  },
  "text.ts": {
    checkText: (of) => text.checkText(of, "title"),
    checkNamed: (of) => text.checkNamed(of, "title"),
    bytesOf: text.bytesOf,
  },
  "pull_text.ts": { pullBody, quietText },
  "replacements.ts": {
    around: (of) => around(of, 0, of.length),
    replacing: (of) => [
      ...["a", "<"].map((find) => replacing(of, [{ find, replace: "b", count: of.split(find).length - 1 }])),
      replacing(of, [{ find: of.slice(0, 2) || "a", replace: of }, { find: "<", replace: "" }]),
    ],
  },
  "wording.ts": {
    quoted: wording.quoted,
    slugTaken: (of) => wording.slugTaken({ id: 1, title: of, slug: of, noun: "page" }),
    stillSo: (of) => wording.stillSo([of, `slug: ${of}`], [of]),
    stateChanges: (of) => wording.stateChanges({ status: of, scheduled_at: of }, of, of),
    dateChanges: (of) => wording.dateChanges(looked(of), NOW),
    lastChange: (of) => wording.lastChange(looked(of)),
    liveWarnings: (of) => wording.liveWarnings(looked(of)),
    publishWarnings: (of) => wording.publishWarnings(looked(of), NOW),
  },
  "code_pages/content.ts": {
    storedParts: (of) => [
      content.storedParts({ css: of, js: of }, "so"),
      content.storedParts({ html: `<style>${of}</style><p style="animation:a;${of}">` }, "so", of),
    ],
  },
  "code_pages/css.ts": {
    parseSheet: (of) => css.parseSheet(new tokens.Css(of)),
    parseDeclarations: (of) => css.parseDeclarations(new tokens.Css(of)),
  },
  "code_pages/html.ts": { inspectHtml: (of) => html.inspectHtml(of) },
  "code_pages/parts.ts": {
    checkCodeParts: (of) => parts.checkCodeParts({ html: of, css: of, js: of }),
    scopeClass: (of) => parts.scopeClass(of, of),
    slugOf: parts.slugOf,
    enclosedJs: parts.enclosedJs,
  },
  "code_pages/scope.ts": {
    scopeSheets: (of) =>
      scope.scopeSheets([{ text: of, label: "css" }, { text: of, label: of, attribute: true }], "so", of),
  },
  "code_pages/script.ts": { scriptsIn: script.scriptsIn, scriptsInPart: script.scriptsInPart },
  "code_pages/script_raises.ts": {
    scriptRaises: (of) => raises.scriptRaises({ html: of, part: [of] }, "on the site", ["part"]),
    ownScript: (of) => raises.ownScript("js", of, "on the site"),
    newScript: (of) => raises.newScript(`<p>${of}`, of, "on the site"),
  },
  "code_pages/tags.ts": {
    addressRuns: (of) => tags.addressRuns("srcset", of),
    runsScript: (of) => [tags.runsScript(of, true), tags.runsScript(`data:text/html${of}`, false)],
  },
  "code_pages/tokens.ts": {
    Css: (of) => new tokens.Css(of),
    unescaped: tokens.unescaped,
    place: (of) => tokens.place(of, of.length),
  },
  "proxied/arguments.ts": { bareName: (of) => proxiedArguments.bareName(of, ["query_", of]) },
  "proxied/names.ts": {
    nameWords: names.nameWords,
    destroyingWord: names.destroyingWord,
    neverRun: names.neverRun,
    runsAnother: names.runsAnother,
    caution: names.caution,
    skeleton: names.skeleton,
  },
  "proxied/typed.ts": {
    typeFault: (of) => [typedBy({ of, [of]: of }), typedBy({ [of]: of }, of)],
    stateFault: (
      of,
    ) => [typed.stateFault({ status: of }, ["status"]), typed.stateFault({ of }, [`of.${of}`])],
    assertUnpublished: (of) => typed.assertUnpublished({ status: "scheduled", at: of }, "at", NOW),
    withoutStates: (of) => typed.withoutStates({ properties: { status: { enum: [of] } } }, ["status"]),
  },
};

/** The same for values of JSON. */
const VALUES: Readonly<Record<string, Named<unknown>>> = {
  ...SHOWN_VALUES,
  "crm_location.ts": { namesAnotherLocation: (of) => location.namesAnotherLocation(of, "a", 64) },
  "publishing.ts": { wouldPublish: publishing.wouldPublish },
  "comparison.ts": {
    apartFrom: (of) =>
      comparison.apartFrom({
        period: { from: "2026-11-01", to: "2026-11-02", time_zone: null },
        figures: { of },
      }, { of }),
    changesOf: (of) => comparison.changesOf({ of }, { of }),
    compared: (of) => {
      const side = { whole: true, truncated: false, complete: true, figures: { of } };
      const period = { from: "2026-01-01", to: "2026-01-02", time_zone: null };
      return comparison.compared(side, { ...side, period }, listOf(of));
    },
    rowChanges: (of) => comparison.rowChanges(listOf(of), listOf(of), (one) => ({ one }), () => ({ of: 1 })),
  },
  "data_head.ts": {
    headed: (of) =>
      head.headed({ period: null, complete: true, fresh_until: null, notes: listOf(of) }, { of }),
  },
  "redirect_uri.ts": {
    redirectAllowed: (of) => redirectUri.redirectAllowed("http://127.0.0.1/", listOf(of)),
  },
  "change.ts": {
    replacedBy: (of) => change.replacedBy(listOf(of).map((field): Change => ({ field, from: of, to: of }))),
  },
  "seo_schema.ts": {
    pageSchema: seoSchema.pageSchema,
    typesOf: (
      of,
    ) => [seoSchema.typesOf(of), seoSchema.typesOf({ "@graph": of }), seoSchema.typesOf({ "@type": of })],
    hasContext: (of) => Array.isArray(of) ? seoSchema.hasContext(of.filter(isFields)) : null,
  },
  "structured_data.ts": {
    isFields,
    checkStructured: (of) => structured.checkStructured(of as structured.StructuredData, "data"),
    requireEnclosed: (of) => structured.requireEnclosed(of, "data"),
    isFlat: (of) => structured.isFlat(of, 64),
    dataIn: structured.dataIn,
    sameData: (of) => structured.sameData(of, of),
  },
  "text.ts": {
    checkTexts: (of) => text.checkTexts(of, "data"),
    checkArguments: (of) => text.checkArguments(of as object),
  },
  "wording.ts": {
    revealed: (of) =>
      wording.revealed({ ...looked(""), parts: of as Names, seo: of as Names, names: of as Names, url: "" }),
    replaced: (of) => wording.replaced({ ...looked(""), parts: of as Names }, of as Names),
  },
  "code_pages/script_raises.ts": {
    scriptRaises: (of) => raises.scriptRaises(of as object, "on the site", ["of"]),
  },
  "proxied/arguments.ts": {
    servedNames: (of) => proxiedArguments.servedNames(listOf(of), ["query_"]),
    servedArguments: (of) =>
      proxiedArguments.servedArguments({ properties: of, required: listOf(of) }, {
        prefixes: ["query_"],
        filled: ["locationId"],
        filled_beside: { altId: "altType" },
      }),
  },
  "proxied/names.ts": {
    neverCalled: (of) => names.neverCalled("call-tool", { tool: "call-tool", args: of }),
  },
  "proxied/typed.ts": {
    typeFault: (of) => [typedBy({ of }), typedBy(of as Names)],
    stateFault: (of) => typed.stateFault({ of, status: of }, ["of.n1.n1", "status"]),
    withoutStates: (of) =>
      typed.withoutStates({ properties: { status: { enum: listOf(of) }, of } }, ["status"]),
  },
};

/** The names or words of a value, as a list. */
function listOf(value: unknown): string[] {
  const all = typeof value === "object" && value !== null
    ? Array.isArray(value) ? value : Object.keys(value)
    : [];
  return all.filter((one): one is string => typeof one === "string");
}

/** What reads no text and no value of unbounded size. */
const CONSTANT: Readonly<Record<string, string>> = {
  "branch.ts pushedSince": "puts one commit into one sentence",
  "change.ts goneSince": "puts one name into one sentence",
  "change.ts whenLive": "puts one name into one sentence",
  "change.ts whenScheduled": "puts one name into one sentence",
  "comparison.ts changeOf": "subtracts two numbers",
  "comparison.ts checkCompare": "compares days",
  "comparison.ts daysToCompare": "reckons with days",
  "comparison.ts differingLengths": "counts days",
  "comparison.ts lengthOf": "reckons with days",
  "file.ts checkFileSize": "compares two numbers",
  "file.ts checkSha": "compares two hashes",
  "finding/unread.ts": "looks a bounded way around one place, measured through rewritten",
  "readiness.ts": "compares times of the gateway's own jobs",
  "retention.ts": "compares times",
  "snapshot_days.ts": "counts days of the gateway's own clock",
  "replacements.ts checkReplacements": "looks whether two arguments are there",
  "wording.ts canBeGiven": "compares one value with three",
  "wording.ts notTakenAway": "puts a few names of arguments into one sentence",
  "wording.ts hasPassword": "looks one value up among three",
  "schedule.ts hasLead": "compares times",
  "schedule.ts bothTimes": "puts two times into an answer",
  "code_pages/bounds.ts": "reads what parse5 has open, measured through inspectHtml",
  "code_pages/selectors.ts": "reads tokens, measured through scopeSheets",
  "code_pages/tags.ts faultsOf": "reads a tag of parse5, measured through inspectHtml",
  "code_pages/tokens.ts CssFault": "is thrown",
};

async function* modulesOf(folder: string, below = ""): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(`../../${folder}/${below}`, import.meta.url))
  ) {
    if (isDirectory) yield* modulesOf(folder, `${below}${name}/`);
    else yield `${below}${name}`;
  }
}

Deno.test("every rule stands in the table, or among those that read nothing of unbounded size", async () => {
  const missing: string[] = [];
  for await (const name of modulesOf("rules")) {
    if (name in CONSTANT) continue;
    const known = { ...TEXTS[name], ...VALUES[name] };
    for (const [one, of] of Object.entries(await import(`../../rules/${name}`))) {
      if (typeof of === "function" && !(one in known) && !(`${name} ${one}` in CONSTANT)) {
        missing.push(`${name} ${one}`);
      }
    }
  }
  assert.deepEqual(missing, [], "add a row of how it is called with a hostile text or value");
});

const flat = <Given>(all: Readonly<Record<string, Named<Given>>>) =>
  Object.fromEntries(
    Object.entries(all).flatMap(([module, rows]) =>
      Object.entries(rows).map(([name, read]) => [`rules/${module} ${name}`, read] as const)
    ),
  );

Deno.test("twice the text, or the value, is at most twice the steps of a rule", async () => {
  await assertDoubles(flat(TEXTS), flat(VALUES));
});
