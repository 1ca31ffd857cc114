/** Every request that can be built for Duda: a method and a path each. There is none for the rest of its API. */
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { Outgoing } from "../_http/request.ts";

/** The settings, by their names. */
export interface DudaSettings extends Readonly<Record<string, string | null>> {
  readonly SITEBUILDER_API_BASE: string;
  readonly SITEBUILDER_API_USER: string | null;
  readonly SITEBUILDER_API_PASSWORD: string | null;
}

/** The placeholder of an id in a path, and the form of such an id. */
const IDS = {
  "{page}": /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i,
  "{post}": /^[A-Za-z0-9_-]{1,64}$/,
  "{section}": /^[A-Za-z0-9_-]{1,64}$/,
} as const;

/** Whether content of that kind can have the id. */
export const isId = (kind: "page" | "post" | "section", id: string): boolean => IDS[`{${kind}}`].test(id);

/** Paths below the site's own; those with `account` are below the API's. */
export const ROUTES = {
  site: { method: "GET", path: "" },
  pages: { method: "GET", path: "/pages" },
  page: { method: "GET", path: "/pages/{page}" },
  elements: { method: "GET", path: "/pages/{page}/elements" },
  posts: { method: "GET", path: "/blog/posts" },
  post: { method: "GET", path: "/blog/posts/{post}" },
  section: { method: "GET", path: "/sections/{section}", account: true },
  create_page: { method: "POST", path: "/pages" },
  change_page: { method: "PUT", path: "/pages/{page}" },
  duplicate_page: { method: "POST", path: "/pages/{page}/duplicate" },
  add_element: { method: "POST", path: "/pages/{page}/elements" },
  import_post: { method: "POST", path: "/blog/posts/import" },
  change_post: { method: "PATCH", path: "/blog/posts/{post}" },
  publish_post: { method: "POST", path: "/blog/posts/{post}/publish" },
  unpublish_post: { method: "POST", path: "/blog/posts/{post}/unpublish" },
} as const satisfies Record<string, Pick<Outgoing, "method"> & { path: string; account?: true }>;
export type RouteName = keyof typeof ROUTES;

/** What the paths of a route begin with. */
function rootOf(name: RouteName, { site_alias }: Pick<Site, "site_alias">, settings: DudaSettings): string {
  const base = settings.SITEBUILDER_API_BASE;
  return "account" in ROUTES[name] ? base : `${base}/sites/multiscreen/${site_alias}`;
}

/** The address of a route. An id of another form is a bug: tools refuse it before (`checkId`). */
export function addressOf(
  name: RouteName,
  site: Pick<Site, "site_alias">,
  settings: DudaSettings,
  id = "",
): string {
  const path = ROUTES[name].path.replace(/\{\w+\}/, (kind) => {
    if (IDS[kind as keyof typeof IDS].test(id)) return id;
    throw new GatewayError("E_INTERNAL", `An id of another form was to be put into the address of ${name}`);
  });
  return `${rootOf(name, site, settings)}${path}`;
}

/** The route that a request takes; null where it is none of the list. */
export function routeOf(
  { method, url }: Pick<Outgoing, "method" | "url">,
  site: Pick<Site, "site_alias">,
  settings: DudaSettings,
): RouteName | null {
  const address = url.split("?", 1)[0]!;
  const names = Object.keys(ROUTES) as RouteName[];
  return names.find((name) => {
    const { path, method: own } = ROUTES[name];
    const root = rootOf(name, site, settings);
    if (own !== method || !address.startsWith(root)) return false;
    const [asked, parts] = [address.slice(root.length).split("/"), path.split("/")];
    return asked.length === parts.length && parts.every((part, at) => {
      const id = IDS[part as keyof typeof IDS] as RegExp | undefined;
      return id === undefined ? asked[at] === part : id.test(asked[at]!);
    });
  }) ?? null;
}
