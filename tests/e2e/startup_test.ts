/** What is loaded before the gateway answers: what every call needs, and nothing that only some upstream needs. */
import assert from "node:assert/strict";
import { find, findIn } from "../../registry/files.ts";
import { withFiles } from "./dropped.ts";

const ROOT = new URL("../../", import.meta.url);

interface Graph {
  readonly roots: readonly string[];
  readonly redirects: Readonly<Record<string, string>>;
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { specifier?: string };
    }[];
  }[];
}

/** Every module that importing those imports at once, types left out. */
async function loadedBy(urls: readonly URL[]): Promise<string[]> {
  const text = urls.map(({ href }) => `import ${JSON.stringify(href)};\n`).join("");
  return await withFiles({ "all.ts": text }, async (folder) => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", "deno.json", new URL("all.ts", folder).href],
      cwd: ROOT,
    }).output();
    const { roots, redirects, modules }: Graph = JSON.parse(new TextDecoder().decode(stdout));
    const found = new Set<string>();
    const add = (specifier: string) => {
      const at = redirects[specifier] ?? specifier;
      if (found.has(at)) return;
      found.add(at);
      for (const { isDynamic, code } of modules.find((one) => one.specifier === at)?.dependencies ?? []) {
        if (!isDynamic && code?.specifier !== undefined) add(code.specifier);
      }
    };
    roots.forEach(add);
    return [...found].map((one) => one.replace(ROOT.href, "")).sort();
  });
}

Deno.test("to start, no client of an upstream is loaded, no package of one, and no HTTP client", async () => {
  const connectors = await findIn(new URL("platforms/", ROOT), "connector.ts");
  const tools = await find(new URL("tools/", ROOT), ".ts");
  assert.ok(connectors.length > 8 && tools.length > 80);
  const main = new URL("main.ts", ROOT);
  const loaded = await loadedBy([main, ...[...connectors, ...tools].map(({ url }) => url)]);
  const packages = loaded.flatMap((one) => /^npm:\/?((?:@[^/]+\/)?[^@/]+)/.exec(one)?.[1] ?? []);
  assert.deepEqual([...new Set(packages)], ["diff", "hono", "ipaddr.js", "ulid", "zod"]);
  const needless =
    /^(platforms\/\w+\/client\.ts|platforms\/_http\/transport\.ts|admin\/api\.ts|node:(http|https|tls|zlib))$/;
  assert.deepEqual(loaded.filter((one) => needless.test(one)), []);
});
