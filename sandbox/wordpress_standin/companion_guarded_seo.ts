/** The guarded twins of the companion plugin's SEO routes on the stand-in. */
import type { Hono } from "hono";
import { fault } from "./companion.ts";
import { readRedirects, resolve, type StoredRedirect, writeRedirect } from "./companion_redirects.ts";
import {
  type CompanionSeo,
  ID,
  META,
  metaOf,
  nothing,
  postOf,
  readSchema,
  REDIRECT,
  SCHEMA,
  writeMeta,
  writeSchema,
} from "./companion_seo.ts";
import { addTwins, type Rows, rowsTwin, type StoredRows, type Twin } from "./companion_twins.ts";
import type { Ask, RestEnv } from "./rest.ts";

/** Installs them beside the plugin's own: `addGuardedSeo(cms.app, addCompanionSeo(cms.app, cms.state))`. */
export function addGuardedSeo(app: Hono<RestEnv>, plugin: CompanionSeo): void {
  addTwins(app, twins(plugin));
}

function twins(plugin: CompanionSeo): Twin[] {
  const stateOf = (ask: Ask) => {
    const { status, password = "" } = postOf(ask);
    const isLive = ["publish", "private"].includes(status);
    return { status, password: isLive ? password : "", provider: plugin.provider };
  };
  return [
    {
      path: "seo/meta/:id",
      asks: ID,
      takes: META,
      state: (ask) => ({ ...metaOf(plugin, ask, postOf(ask)), stored: seoRows(plugin, postOf(ask).id) }),
      parts(ask) {
        const { robots, og, twitter, ...texts } = plugin.fields.get(postOf(ask).id) ?? nothing();
        const groups = Object.entries({ robots, og, twitter }).flatMap(([name, group]) =>
          Object.entries(group).map(([part, value]) => [`${name}.${part}`, value])
        );
        return { ...stateOf(ask), ...texts, ...Object.fromEntries(groups) };
      },
      write: (ask) => writeMeta(plugin, ask),
    },
    {
      path: "seo/schema/:id",
      asks: ID,
      takes: SCHEMA,
      state: (ask) => ({
        ...readSchema(plugin, ask).body as Row,
        post: metaOf(plugin, ask, postOf(ask)),
        stored: schemaRows(plugin, postOf(ask).id),
      }),
      parts(ask) {
        const entries = plugin.schemas.get(postOf(ask).id) ?? [];
        const each = entries.map(({ entry_id, schema }) => [`entry:${entry_id}`, schema]);
        const names = entries.map(({ entry_id, type }) => [entry_id, type]);
        return { ...stateOf(ask), entries: names, ...Object.fromEntries(each) };
      },
      write: (ask) => writeSchema(plugin, ask),
    },
    ...redirectTwins(plugin),
    ...rowTwins(plugin),
  ];
}

/** The routes of redirects, and the one that sets the rows of one back. */
function redirectTwins(plugin: CompanionSeo): Twin[] {
  const there = (ask: Ask) =>
    readRedirects(plugin, ask).body as {
      redirects: StoredRedirect[];
      hides?: Row;
      provider: string;
    };
  const parts = (ask: Ask) => {
    const { redirects: [row], hides, provider } = there(ask);
    const stored = redirectRows(row);
    const rows = Object.entries(stored?.rows ?? {}).map(([name, { values }]) => [`row:${name}`, values]);
    const { destination, status } = row ?? {};
    return {
      destination,
      status,
      hides: hides?.["id"],
      provider,
      plugin: stored?.plugin,
      ...Object.fromEntries(rows),
    };
  };
  return [
    {
      path: "seo/redirects",
      asks: REDIRECT,
      takes: REDIRECT,
      state: (ask) => ({
        ...there(ask),
        follow: [...followed(plugin, String(ask.params["destination"]))],
        stored: redirectRows(there(ask).redirects[0]),
      }),
      parts,
      write: (ask) => writeRedirect(plugin, ask),
    },
    {
      path: "stored/redirects",
      asks: { source: REDIRECT["source"]! },
      takes: { source: REDIRECT["source"]!, rows: { type: "object", required: true } },
      state: (ask) => ({ ...there(ask), stored: redirectRows(there(ask).redirects[0]) }),
      parts,
      write(ask) {
        const [row] = there(ask).redirects;
        if (!row) throw fault("redirect_target", 422, "There is no redirect from there");
        const rows = ask.params["rows"] as Rows;
        row.destination = rows[TO]![0]!;
        row.status = Number(rows[STATUS]![0]);
        return { body: { ...row, created: false } };
      },
    },
  ];
}

/** The routes that set rows back. */
function rowTwins(plugin: CompanionSeo): Twin[] {
  return [
    rowsTwin("seo-meta", {
      stored: (ask) => seoRows(plugin, postOf(ask).id),
      post: (ask) => metaOf(plugin, ask, postOf(ask)),
      put: (ask, rows) => putSeo(plugin, postOf(ask).id, rows),
    }),
    rowsTwin("schema", {
      stored: (ask) => schemaRows(plugin, postOf(ask, "unfiltered_html").id),
      post: (ask) => metaOf(plugin, ask, postOf(ask)),
      put: (ask, rows) => putSchema(plugin, postOf(ask).id, rows),
    }),
  ];
}

const TO = "_site_ops_destination";
const STATUS = "_site_ops_status";

/** What is stored of a redirect, in a store of the plugin's own. */
function redirectRows(row: StoredRedirect | undefined): StoredRows | null {
  if (row === undefined) return null;
  const rows = { [TO]: row.destination, [STATUS]: String(row.status) };
  return {
    plugin: "none",
    rows: Object.fromEntries(Object.entries(rows).map(([of, text]) => [of, { of, values: [text] }])),
  };
}

const OWN = "_site_ops_seo_";
const ROBOTS_ROW = "rank_math_robots";

/** Under which names the fields are stored; Rank Math packs its switches into one row. */
function seoRows(plugin: CompanionSeo, id: number): StoredRows {
  const { robots, og, twitter, ...texts } = plugin.fields.get(id) ?? nothing();
  const flat = {
    ...texts,
    ...Object.fromEntries(
      Object.entries({ og, twitter }).flatMap(([name, group]) =>
        Object.entries(group).map(([part, text]) => [`${name}.${part}`, text])
      ),
    ),
  };
  const row = (of: string, text: string) => ({ of, values: text === "" ? [] : [text] });
  const rows = Object.entries(flat).map(([of, text]) => [OWN + of.replace(".", "_"), row(of, text)]);
  const on = Object.keys(robots).filter((name) => robots[name]);
  const switches = plugin.provider === "rankmath"
    ? [[ROBOTS_ROW, row("robots", on.length === 0 ? "" : `a:${on.length}:{${on.join(",")}}`)]]
    : Object.keys(robots).map((name) => [OWN + name, row("robots", robots[name] ? "1" : "")]);
  return {
    plugin: `${plugin.provider} ${plugin.rows_version ?? "1.0"}`,
    rows: Object.fromEntries([...rows, ...switches]),
  };
}

function putSeo(plugin: CompanionSeo, id: number, rows: Rows): void {
  const stored = structuredClone(plugin.fields.get(id) ?? nothing());
  const known = seoRows(plugin, id).rows;
  for (const [name, [text = ""]] of Object.entries(rows)) {
    const of = known[name]!.of;
    const [group, part] = of.split(".") as ["og" | "twitter", string?];
    if (name === ROBOTS_ROW) {
      for (const one of Object.keys(stored.robots)) stored.robots[one] = text.includes(one);
    } else if (of === "robots") stored.robots[name.slice(OWN.length)] = text === "1";
    else if (part === undefined) Object.assign(stored, { [of]: text });
    else stored[group][part] = text;
  }
  plugin.fields.set(id, stored);
}

function schemaRows(plugin: CompanionSeo, id: number): StoredRows {
  const rows = (plugin.schemas.get(id) ?? []).map(({ entry_id, type, schema }) =>
    [entry_id, { of: entry_id, values: [type, JSON.stringify(schema)] }] as const
  );
  return { plugin: `${plugin.provider} ${plugin.rows_version ?? "1.0"}`, rows: Object.fromEntries(rows) };
}

function putSchema(plugin: CompanionSeo, id: number, rows: Rows): void {
  for (const [entry_id, [type, text]] of Object.entries(rows)) {
    const entry = plugin.schemas.get(id)!.find((one) => one.entry_id === entry_id)!;
    Object.assign(entry, { type, schema: JSON.parse(text!) });
  }
}

type Row = Record<string, unknown>;

function* followed(plugin: CompanionSeo, destination: string): Generator<StoredRedirect> {
  let row = resolve(plugin, destination);
  for (let hop = 0; row !== null && hop <= 10; hop++) {
    yield row;
    row = resolve(plugin, row.destination);
  }
}
