/** The PHP of the companion plugin: valid, of PHP 7.4, and without what it promises not to do. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { printed } from "./php.ts";
import { ignore, PLUGIN } from "./site.ts";

const PHP_ON = ignore ? " (not run: no PHP)" : "";
const HERE = fileURLToPath(new URL(".", import.meta.url));
const FIXTURES = fileURLToPath(new URL("../fixtures/cms_plugins", import.meta.url));

async function sources(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) { for (const [below, text] of await sources(path)) found.set(below, text); }
    else if (name.endsWith(".php")) found.set(path, await Deno.readTextFile(path));
  }
  return found;
}

const plugin = await sources(PLUGIN);

/** The names of the plugin's files that hold a match, without the folder. */
function holding(pattern: RegExp): string[] {
  const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return [...plugin].filter(([, text]) => pattern.test(code(text))).map(([path]) => path.split("/").at(-1)!)
    .sort();
}

const newer = (code: Record<string, string>) => printed<Record<string, string[]>>("php74.php", code);

Deno.test({
  name: `php -l finds no fault in any file${PHP_ON}`,
  ignore,
  async fn() {
    const paths = [
      ...plugin.keys(),
      ...(await sources(FIXTURES)).keys(),
      ...["php74.php", "code_check.php", "code_steps.php", "find_steps.php"].map((name) => HERE + name),
    ];
    const lint = async (path: string) => {
      const { success, stdout } = await new Deno.Command("php", {
        args: ["-l", path],
        stdout: "piped",
        stderr: "piped",
      })
        .output();
      return success ? [] : [new TextDecoder().decode(stdout)];
    };
    const faults: string[] = [];
    for (let at = 0; at < paths.length; at += 4) {
      faults.push(...(await Promise.all(paths.slice(at, at + 4).map(lint))).flat());
    }
    assert.deepEqual(faults, []);
  },
});

/** Each of these is new since PHP 7.4. */
const NEWER = [
  "$a = match(1) { 1 => 2 };",
  "$a?->b();",
  '$x = "{$a?->b}";',
  "f(1, a: 2);",
  "class A { function __construct(private $x) {} }",
  "function f(int|string $a) {}",
  "function f(A&B $a) {}",
  "#[A]\nfunction f() {}",
  "enum A { case B; }",
  "class A { public readonly int $x; }",
  "class A { private int|string $x; }",
  "class A { function f(): static { return $this; } }",
  "function f(): mixed {}",
  "function f(): never {}",
  "function f($a,) {}",
  "$f = function() use ($a,) {};",
  "$a = fn() => throw new X;",
  "$a ?? throw new X;",
  "try {} catch (X) {}",
  "$a = strlen(...);",
  "$o::class;",
  "function f($a = new X) {}",
  "$n = 0o17;",
  "class A { final const X = 1; }",
  "array_is_list([]);",
];
/** None of these is. */
const OLDER = [
  "function f(?int $a, A &...$b): ?self { return $a ? B : C; }",
  "$f = fn(int $a): int => $a & 1 | 2;",
  "class A { private ?int $x = null; public static $y; static function f(): self { throw new X; } }",
  "switch ($a) { case X: throw new Y; default: f($a ? B : C, D); }",
  "if ($a) throw new X; else throw new Y;",
  "try {} catch (A | B $e) {} f(...$a); $x = A::class; $y = 1_000; [, $z] = $a; $n ??= 1;",
  "$o->array_is_list(); use function a; class B { function match() {} }",
];

Deno.test({
  name: `every file is of PHP 7.4; the check knows what is newer${PHP_ON}`,
  ignore,
  async fn() {
    const table = Object.fromEntries([...NEWER, ...OLDER].map((code) => [code, `<?php\n${code}`]));
    const judged = await newer(table);
    assert.deepEqual(NEWER.filter((code) => judged[code]!.length === 0), []);
    assert.deepEqual(
      OLDER.filter((code) => judged[code]!.length > 0).map((code) => [code, judged[code]]),
      [],
    );
    const files = await newer(Object.fromEntries(plugin));
    assert.deepEqual(Object.entries(files).filter(([, faults]) => faults.length > 0), []);
  },
});

Deno.test("it deletes no content, makes no tables but that of receipts, and calls nobody", () => {
  const never =
    /\bwp_(delete|trash)_\w+|\bwp_publish_post|\bwp_remote_|\bwp_safe_remote_|\bcurl_|\bfsockopen|\bwp_mail\b/;
  // Mails of a held call are sent once it is committed.
  // Updates of a copy that was packed with an address; what the owner chose to have deleted with the plugin.
  assert.deepEqual(holding(never), ["class-hold-outside.php", "class-updates.php", "uninstall.php"]);
  assert.deepEqual(holding(/\bwp_safe_remote_get\b|\bdownload_url\b/), ["class-updates.php"]);
  assert.deepEqual(holding(/\bwp_(delete|trash)_\w+/), ["uninstall.php"]);
  assert.deepEqual(holding(/\b(ALTER|TRUNCATE) TABLE\b|\bdbDelta\b/i), []);
  assert.deepEqual(holding(/\bCREATE TABLE\b|\bDELETE FROM\b/i), [
    "class-hold-receipts.php",
    "uninstall.php",
  ]);
  assert.deepEqual(holding(/\bDROP TABLE\b/i), ["uninstall.php"]);
  assert.deepEqual(
    holding(/\b(eval|exec|system|passthru|shell_exec|proc_open|unserialize|file_put_contents)\s*\(/),
    [],
  );
  // A hold reads the statements of others.
  assert.deepEqual(holding(/'(DELETE|PUT|PATCH)'|\bWP_REST_Server::/), [
    "class-hold-sqlite.php",
    "class-hold-statements.php",
  ]);
  assert.deepEqual(holding(/\b(add|update|delete)_option\s*\(/), [
    "class-hold-code.php",
    "class-hold-keys.php",
    "class-hold-page.php",
    "class-hold-receipts.php",
    "class-hold-test.php",
    "uninstall.php",
  ]);
});

Deno.test("the words publish and future stand only where posts are asked for, where a guarded write or a held call is judged, and in SEOPress's own records", () => {
  assert.deepEqual(holding(/'publish'/), [
    "class-find.php",
    "class-guarded-rules.php",
    "class-hold-ask.php",
    "class-hold-labels.php",
    "class-redirects-seopress.php",
    "class-schema-pro.php",
    "class-templates.php",
  ]);
  assert.deepEqual(
    holding(/'future'/),
    [
      "class-access.php",
      "class-find.php",
      "class-guarded-rules.php",
      "class-guarded.php",
      "class-schema-pro.php",
    ],
  );
  const writes = [...plugin].filter(([, text]) => /'post_status'\s*=>\s*'(publish|future)'/.test(text));
  assert.deepEqual(writes.map(([path]) => path.split("/").at(-1)).sort(), [
    "class-redirects-seopress.php",
    "class-templates.php",
  ]);
});

Deno.test("every file has its guard and its heading, and no line of it names this machine", () => {
  for (const [path, text] of plugin) {
    if (path.endsWith("/index.php")) continue;
    assert.match(text, /^<\?php\n\/\*\*\n \* \S/, path);
    assert.match(text, /defined\( '(ABSPATH|WP_UNINSTALL_PLUGIN)' \) \|\| exit;/, path);
    assert.ok(!/\/(home|work|root|tmp)\//.test(text), path);
    assert.ok(text.split("\n").length <= 330, `${path} is too long`);
  }
});

Deno.test("every text that people read can be translated: a literal, in the plugin's own domain", () => {
  let texts = 0;
  for (const [path, text] of plugin) {
    for (
      const [call] of text.matchAll(
        /\b(?:esc_html|esc_attr)?_(?:_|e|x|n|nx)\(\s*(?:'(?:[^'\\]|\\.)*'|[^)]*?)\s*(?:,[^)]*)?\)|\b(?:esc_html|esc_attr)_[_ex]\([^)]*\)/g,
      )
    ) {
      assert.match(call, /\(\s*'/, `${path}: ${call}`);
      assert.match(call, /, 'site-ops'\s*\)$/, `${path}: ${call}`);
      texts++;
    }
  }
  assert.ok(texts > 100, `${texts} texts`);
});
