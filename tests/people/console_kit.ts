/** The pages of the console as its own router lists them, so that none is left out of what is asked of all. */
import assert from "node:assert/strict";
import type { AdminPorts } from "../../admin/ports.ts";
import type { MasterSignIn } from "../../admin/session.ts";
import { pagesApp } from "../../console/admin/app.ts";
import { CONNECTORS } from "../connectors.ts";
import { BASE } from "./kit.ts";

/** A route of the console. */
export interface Route {
  readonly method: "GET" | "POST";
  /** With its parameters, `/admin/sites/:id`. */
  readonly path: string;
}

/** Answers anything with itself: what pages are made of is read when they are added, and used when they are asked for. */
const ANYTHING: object = new Proxy(() => {}, { get: () => ANYTHING, apply: () => ANYTHING });

const PORTS = new Proxy({ connectors: CONNECTORS, baseUrl: BASE } as unknown as AdminPorts, {
  get: (known, name) => Reflect.get(known, name) ?? ANYTHING,
});

/** Every route of the console, as its router has them. */
export function routes(): readonly Route[] {
  const all = pagesApp(PORTS, ANYTHING as MasterSignIn).routes;
  const known = new Map(all.map(({ method, path }) => [`${method} ${path}`, { method, path } as Route]));
  return [...known.values()].filter(({ method }) => method === "GET" || method === "POST");
}

/** What addresses name. */
export interface Places {
  readonly site: string;
  readonly user: string;
  readonly token: string;
  readonly approval: string;
  readonly row: string;
  readonly webhook: string;
  readonly tool: string;
}

/** What a parameter of a route stands for, by the folder before it. */
const NAMED: Readonly<Record<string, (places: Places) => string>> = {
  assets: () => "style.css",
  sites: ({ site }) => site,
  users: ({ user }) => user,
  tokens: ({ token }) => token,
  approvals: ({ approval }) => approval,
  audit: ({ row }) => row,
  changes: ({ row }) => row,
  webhooks: ({ webhook }) => webhook,
  tools: ({ tool }) => tool,
  try: () => "none",
  invitation: () => "none",
  invite: () => "none",
  pictures: () => "none",
  documents: () => "1",
};

/** A route's address with those names in it. Fails where a parameter is one that nobody has said a name for. */
export function addressOf(path: string, places: Places): string {
  const parts = path.split("/");
  return parts.map((part, at) => {
    if (!part.startsWith(":")) return part;
    const name = NAMED[parts[at - 1]!];
    assert.ok(name, `${path}: say in console_kit.ts what ${part} stands for`);
    return encodeURIComponent(name(places));
  }).join("/");
}

/** What is no page: what a script or a page asks for. */
const PARTS = ["/assets/", "/pictures/", "/documents/", "/events", "/newer"];

/** Whether people open it. */
export const isPage = ({ method, path }: Route): boolean =>
  method === "GET" && !PARTS.some((part) => path.includes(part));

/** The paths of the pages. */
export const pagesToOpen = (): readonly string[] => routes().filter(isPage).map(({ path }) => path);
