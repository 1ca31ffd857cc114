/** Importing many modules at once. */

/**
 * The default exports of the modules, by address. They are imported through one module made for it, because the
 * runtime looks at the whole graph anew for each import of its own: some 4 ms each, for a hundred tools more than all
 * the rest of the boot. Null where one of them cannot be imported: imported one by one, it can be named.
 */
export async function importAll(urls: readonly URL[]): Promise<ReadonlyMap<string, unknown> | null> {
  const lines = urls.map(({ href }, at) => `import * as m${at} from ${JSON.stringify(href)};`);
  const names = urls.map((_, at) => `m${at}.default`);
  const text = `${lines.join("\n")}\nexport default [${names.join(", ")}];\n`;
  const joined = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    const modules: unknown[] = (await import(joined)).default;
    return new Map(urls.map(({ href }, at) => [href, modules[at]]));
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(joined);
  }
}
