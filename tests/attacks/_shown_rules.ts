/** How the rules on files, routes, documents, pictures and names of secrets are called with a hostile text or value. */
import type { Reader } from "../doubled.ts";
import { partsApart, piecesApart } from "../../rules/apart.ts";
import * as branchFiles from "../../rules/branch_files.ts";
import * as drawn from "../../rules/code_pages/drawn.ts";
import * as document from "../../rules/code_pages/document.ts";
import * as carried from "../../rules/drawn_document.ts";
import * as pictures from "../../rules/pictures.ts";
import * as route from "../../rules/route.ts";
import * as secretFiles from "../../rules/secret_files.ts";
import * as whole from "../../rules/whole_document.ts";

type Rows<Given> = Readonly<Record<string, Readonly<Record<string, Reader<Given>>>>>;

const NO_HASH = "0".repeat(64);
const bytes = (of: string) => new TextEncoder().encode(of);
const changed = (of: unknown) => pictures.changedPictures([{ field: `${of}.image`, from: of, to: [of] }]);

/** By module and function: what reads a text. */
export const SHOWN_TEXTS: Rows<string> = {
  "apart.ts": {
    piecesApart: (of) => [piecesApart(of, `${of} x ${of}`), piecesApart(of, "")],
    partsApart: (of) => [partsApart({ of }, { of: `${of} x ${of}` }, 1), partsApart({ of }, { of: "" }, 2)],
  },
  "secret_files.ts": {
    holdsSecrets: (of) => [secretFiles.holdsSecrets(of, of), secretFiles.holdsSecrets(`${of}.a`, of)],
  },
  "route.ts": {
    routeOf: (of) => route.routeOf(`/${of}`, "route"),
    fileOfRoute: route.fileOfRoute,
    spellingsOfRoute: route.spellingsOfRoute,
    takesRoute: (of) => [route.takesRoute(`public/${of}`, "/a"), route.takesRoute("public/a", of)],
    routeOfFile: (of) => route.routeOfFile(`src/pages/${of}`),
    collectionPageOf: (of) => route.collectionPageOf(`src/pages/${of}/[...slug].astro`),
    contentRouteOf: (of) => route.contentRouteOf("blog", of, of, true),
  },
  "branch_files.ts": {
    builtRaises: (of) => branchFiles.builtRaises([{ path: "a.css", bytes: bytes(of) }]),
    documentRaises: (of) => branchFiles.documentRaises([`${of}.html`]),
    servedRaises: (of) => branchFiles.servedRaises([`public/${of}.js`]),
    fileRaises: (of) => branchFiles.fileRaises("a.html", bytes(of)),
    unreadRaises: (of) => branchFiles.unreadRaises([of]),
    named: (of) => branchFiles.named([of]),
  },
  "whole_document.ts": {
    ofDocument: (of) => whole.ofDocument({ content_html: `<body>${of}` }),
    escapedWarnings: (of) => whole.escapedWarnings("html", of),
  },
  "code_pages/document.ts": {
    bodyOf: (of) => document.bodyOf(`<body>${of}`),
    headingWarnings: (of) => document.headingWarnings(of),
    hasFirstHeading: document.hasFirstHeading,
    linksOf: document.linksOf,
  },
  "code_pages/drawn.ts": { drawnHtml: (of) => [drawn.drawnHtml(of), drawn.drawnHtml(`<a ${of}`)] },
  "drawn_document.ts": {
    drawnDocument: (of) => carried.drawnDocument({ field: "html", title: of, html: of, css: of }),
    carriedDocuments: (of) => carried.carriedDocuments({ path: `${of}.html`, content: of, [of]: of }),
  },
  "pictures.ts": {
    pictureType: (
      of,
    ) => [pictures.pictureType(bytes(of)), pictures.pictureType(bytes(`\0\0\0\xffftyp${of}`))],
    imagesOf: (
      of,
    ) => [of, `<img ${of}`, of.replaceAll("<p", "<img")].map((html) => pictures.imagesOf(html)),
    changedPictures: changed,
    plannedBytes: (of) => pictures.plannedBytes([{ field: `${of} sha256`, from: null, to: of }]),
    endsAsPicture: (of) =>
      pictures.endsAsPicture(new URL(`https://acme.example/${encodeURI(of.toWellFormed())}`)),
    sentPictures: (of) =>
      pictures.sentPictures({ source_url: of, content_base64: of, media_id: of, [of]: of }),
    sentBytes: (of) => pictures.sentBytes({ content_base64: of, [of]: { content_base64: of } }, NO_HASH),
  },
};

/** The same for values of JSON. */
export const SHOWN_VALUES: Rows<unknown> = {
  "drawn_document.ts": { carriedDocuments: (of) => carried.carriedDocuments(of) },
  "pictures.ts": {
    changedPictures: changed,
    plannedBytes: (of) => pictures.plannedBytes([{ field: `${of} sha256`, from: null, to: of }]),
    sentPictures: (of) => pictures.sentPictures(of),
    sentBytes: (of) => pictures.sentBytes(of, NO_HASH),
  },
};
