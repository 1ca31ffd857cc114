/** The addresses of the REST API's routes. */

/** Query of a route; what is undefined is left out, an array becomes `name[]`. */
export type Query = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

/** The address of a route (`wp/v2/posts`) under a root of either kind. */
export function routeUrl(root: URL, route: string, query: Query): string {
  const url = new URL(root);
  const plain = url.searchParams.get("rest_route");
  if (plain === null) url.pathname = `${url.pathname.replace(/\/*$/, "/")}${route}`;
  else url.searchParams.set("rest_route", `${plain.replace(/\/*$/, "/")}${route}`);
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
      for (const item of value) url.searchParams.append(`${name}[]`, String(item));
    } else if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url.href;
}
