/** The guarded twins of the companion plugin's SEO routes on the stand-in. */
import type { Hono } from "hono";
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
import { addTwins, type Twin } from "./companion_twins.ts";
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
  const there = (ask: Ask) =>
    readRedirects(plugin, ask).body as { redirects: StoredRedirect[]; hides?: Row; provider: string };
  return [
    {
      path: "seo/meta/:id",
      asks: ID,
      takes: META,
      state: (ask) => metaOf(plugin, ask, postOf(ask)),
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
      }),
      parts(ask) {
        const entries = plugin.schemas.get(postOf(ask).id) ?? [];
        const each = entries.map(({ entry_id, schema }) => [`entry:${entry_id}`, schema]);
        const names = entries.map(({ entry_id, type }) => [entry_id, type]);
        return { ...stateOf(ask), entries: names, ...Object.fromEntries(each) };
      },
      write: (ask) => writeSchema(plugin, ask),
    },
    {
      path: "seo/redirects",
      asks: REDIRECT,
      takes: REDIRECT,
      state: (ask) => ({ ...there(ask), follow: [...followed(plugin, String(ask.params["destination"]))] }),
      parts(ask) {
        const { redirects: [row], hides, provider } = there(ask);
        return { destination: row?.destination, status: row?.status, hides: hides?.["id"], provider };
      },
      write: (ask) => writeRedirect(plugin, ask),
    },
  ];
}

type Row = Record<string, unknown>;

function* followed(plugin: CompanionSeo, destination: string): Generator<StoredRedirect> {
  let row = resolve(plugin, destination);
  for (let hop = 0; row !== null && hop <= 10; hop++) {
    yield row;
    row = resolve(plugin, row.destination);
  }
}
