/** The addresses of a site's REST routes. */

/** Query of a route; what is undefined is left out, an array becomes `name[]`. */
export type Query = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

/** The address of a route (`wp/v2/posts`) under a root of either kind. */
export function routeUrl(root: URL, route: string, query: Query): string {
  const url = new URL(root);
  const params = new URLSearchParams(url.search);
  const plain = params.get("rest_route");
  if (plain === null) url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/${route}`;
  else params.set("rest_route", `${plain.replace(/(?<!\/)\/+$/, "")}/${route}`);
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
      for (const item of value) params.append(`${name}[]`, String(item));
    } else if (value !== undefined) params.append(name, String(value));
  }
  if (params.size > 0) url.search = params.toString(); // each change of its own would parse the address again
  return url.href;
}
