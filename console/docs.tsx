/** `/docs`: the reference of the API from its OpenAPI document, and every tool in words for who has no scripts. */
import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { onDemand } from "../core/async.ts";
import type { Tier } from "../core/model.ts";
import { assetAddresses } from "./assets.ts";
import { groupWords, inShownOrder } from "../identity/oauth/group_words.ts";
import { Section, Tag } from "./parts.tsx";
import { showPage } from "./respond.tsx";

/** A tool as the page tells of it. */
export interface DocumentedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly group: string;
  readonly tier: Tier;
  readonly input_schema: {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
}

const PATH = "/docs";
/** Of `T0` to `T4`, what a call does at most. */
const TIERS = [
  "reads",
  "writes drafts",
  "changes other services",
  "publishes or pushes",
  "super-admin only",
] as const;
const KEPT_SECONDS = 31_536_000;
/** The files of the package that the page loads. */
const LIBRARY = {
  "swagger-ui-bundle.js": {
    type: "text/javascript",
    text: () => import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } }),
  },
  "swagger-ui.css": {
    type: "text/css",
    text: () => import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } }),
  },
} as const;
type LibraryFile = keyof typeof LIBRARY;

const version = onDemand(async () => {
  const found = await import("swagger-ui-dist/package.json", { with: { type: "json" } });
  return (found.default as { readonly version: string }).version;
});

/** A file of the package, packed once for all who ask: it has 1.7 MB, and 0.5 MB when it is packed. */
const packed = (["swagger-ui-bundle.js", "swagger-ui.css"] as const).map((name) =>
  [
    name,
    onDemand(async () => {
      const { default: text } = await LIBRARY[name].text() as { readonly default: string };
      const packing = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
      return new Uint8Array(await new Response(packing).arrayBuffer());
    }),
  ] as const
);
const PACKED = new Map<string, () => Promise<Uint8Array<ArrayBuffer>>>(packed);

/** The page, and the files of the package, to be mounted at the root. It asks nobody who they are. */
export function docsApp(tools: readonly DocumentedTool[], baseUrl: string): Hono {
  const app = new Hono();
  app.get(PATH, async (c) => {
    const [release, addresses] = await Promise.all([version(), assetAddresses()]);
    const library = (name: LibraryFile) => `${PATH}/${name}?v=${release}`;
    return await showPage(
      c,
      {
        title: "API reference",
        visitor: null,
        wide: true,
        script: "docs.js",
        styles: [library("swagger-ui.css"), addresses["docs.css"]],
      },
      <>
        <Start baseUrl={baseUrl} />
        <section
          id="reference"
          data-library={library("swagger-ui-bundle.js")}
          data-document="/api/v1/openapi.json"
          hidden
        >
          <h2>Every call, by group</h2>
          <div class="mount" />
        </section>
        <div id="plain">
          <Groups tools={tools} />
        </div>
      </>,
    );
  });
  app.get(`${PATH}/:name`, async (c) => {
    const name = c.req.param("name");
    const pack = PACKED.get(name);
    if (pack === undefined) return c.notFound();
    const takesPacked = (c.req.header("accept-encoding") ?? "").toLowerCase().includes("gzip");
    const lasts = c.req.query("v") === await version();
    c.header("Cache-Control", lasts ? `public, max-age=${KEPT_SECONDS}, immutable` : "no-cache");
    c.header("Content-Type", `${LIBRARY[name as LibraryFile].type}; charset=utf-8`);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Vary", "Accept-Encoding");
    const body = await pack();
    if (takesPacked) {
      c.header("Content-Encoding", "gzip");
      return c.body(body);
    }
    return c.body(new Blob([body]).stream().pipeThrough(new DecompressionStream("gzip")));
  });
  return app;
}

function Start({ baseUrl }: { readonly baseUrl: string }): Child {
  return (
    <>
      <p>
        {"A tool is called with "}
        <code>{`POST ${baseUrl}/api/v1/tools/<name>`}</code>
        {", its arguments as JSON and the header "}
        <code>Authorization: Bearer &lt;token&gt;</code>
        {". A write answers a preview first, and is carried out with "}
        <code>"confirm": true</code>.
      </p>
      <p class="ways">
        <a href="/api/v1/openapi.json">The OpenAPI document</a>
        <a href="/admin/tokens">Make a token</a>
        <a href="/">What this gateway is</a>
      </p>
    </>
  );
}

/** Every tool by its group; what is at hand where no script runs. */
function Groups({ tools }: { readonly tools: readonly DocumentedTool[] }): Child {
  const groups = [...Map.groupBy(tools, ({ group }) => group)].map(([name, own]) => ({ name, own }));
  return inShownOrder(groups).map(({ name, own }) => (
    <Section id={`group-${name}`} title={groupWords(name)}>
      {own.toSorted((a, b) => a.name < b.name ? -1 : 1).map((tool) => <Tool {...tool} />)}
    </Section>
  ));
}

function Tool({ name, title, description, group, tier, input_schema }: DocumentedTool): Child {
  const required = new Set(input_schema.required);
  const names = Object.keys(input_schema.properties ?? {});
  const first = [...names.filter((one) => required.has(one)), ...names.filter((one) => !required.has(one))];
  return (
    <details class="tool" id={name} data-group={group}>
      <summary>
        <code>{name}</code> <span class="hint">{title}</span> <Tag>{TIERS[tier]}</Tag>
      </summary>
      <p>{description}</p>
      {first.length > 0 && (
        <p>
          {"Arguments: "}
          {first.map((one, at) => (
            <>
              {at > 0 && ", "}
              <code>{one}</code>
              {required.has(one) && " (required)"}
            </>
          ))}
        </p>
      )}
    </details>
  );
}
