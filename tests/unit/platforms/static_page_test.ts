/** Pages as source: the mark, the string that holds the HTML, documents and fragments. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/model.ts";
import { isDocument, isGenerated, literal, pageSource } from "../../../platforms/astro/page.ts";

const file = "src/pages/a/b.astro";

/** The value of a constant of the page's script, read as JavaScript would. */
function constant(source: string, name: string): unknown {
  const line = source.split("\n").find((one) => one.startsWith(`const ${name} = `));
  assert.ok(line !== undefined && line.endsWith(";"), `no ${name} in ${source}`);
  return JSON.parse(line.slice(`const ${name} = `.length, -1));
}

Deno.test("a document stands alone, marked on its first line", () => {
  const source = pageSource({
    file,
    html: "<!doctype html><p>{x}</p>",
    title: "T",
    description: "D",
    layout: true,
  });
  assert.equal(
    source,
    [
      "---",
      "// site-ops-gateway:generated v1",
      'const html = "\\u003c!doctype html>\\u003cp>{x}\\u003c/p>";',
      "---",
      "<Fragment set:html={html} />",
      "",
    ].join("\n"),
  );
});

Deno.test("a fragment is put into the layout, found from wherever the page lies", () => {
  const source = pageSource({ file, html: "<p>x</p>", title: "T", description: "D", layout: true });
  assert.ok(source.includes('\nimport Base from "../../layouts/Base.astro";\n'), source);
  assert.ok(
    source.endsWith("\n<Base title={title} description={description}><Fragment set:html={html} /></Base>\n"),
  );
  assert.deepEqual([constant(source, "title"), constant(source, "description")], ["T", "D"]);
  const home = pageSource({ file: "src/pages/index.astro", html: "x", layout: true });
  assert.ok(home.includes('\nimport Base from "../layouts/Base.astro";\n'), home);
  assert.ok(home.endsWith("\n<Base><Fragment set:html={html} /></Base>\n"), home);
});

Deno.test("without a layout a fragment's page brings its document and imports nothing", () => {
  const source = pageSource({ file, html: "x", title: "T", layout: false });
  assert.ok(!source.includes("import"), source);
  assert.match(
    source,
    /<head>[^]*<title>\{title\}<\/title>[^]*<body><Fragment set:html=\{html\} \/><\/body>/,
  );
  assert.ok(!source.includes("description"), source);
});

Deno.test("a word the generator's bundler would replace stands in two strings", () => {
  const words = { "a__VITE_X__": "_VITE", "___ASTRO_Y__b": "_ASTRO", "!~{000}~": "~{000}" };
  for (const [text, word] of Object.entries(words)) {
    const parts = /^\[(.*)\]\.join\(""\)$/.exec(literal(text))?.[1];
    assert.ok(parts !== undefined, literal(text));
    assert.equal(JSON.parse(`[${parts}]`).join(""), text);
    assert.ok(parts.includes(`", "${word}`), parts);
  }
  assert.equal(literal("a__b !~x"), '"a__b !~x"');
});

Deno.test("the string holds nothing the generator reads, and gives back the text", () => {
  const texts = [
    "---",
    "--",
    "-----",
    "a\n---\nb",
    "------ - -- ---",
    "<script>`${x}`</script>",
    "\u2028\u2029\ufeff\u0085\x7f",
    "\r\n\r\t\b\f\x01",
    'a "b" \\ \\" \\u003c',
    "😀 é \u{10ffff}",
    "",
  ];
  for (const text of [...texts, texts.join("")]) {
    const string = literal(text);
    assert.equal(JSON.parse(string), text);
    assert.ok(!/<|--|[\u2028\u2029\ufeff\u007f-\u009f]|[^\x20-\u{10ffff}]/u.test(string), string);
    const source = pageSource({ file, html: text, title: text, description: text, layout: true });
    for (const name of ["html", "title", "description"]) assert.equal(constant(source, name), text);
    assert.equal(source.split("\n").filter((line) => line === "---").length, 2, source);
  }
});

Deno.test("documents are told from fragments as a browser would begin them", () => {
  const documents = [
    "<!doctype html>",
    "<!DOCTYPE HTML PUBLIC 'x'>",
    "<html>",
    "<HTML lang=de>",
    "<head>",
    "<body class=a>",
    "<body/>",
    " \n\t<html\n>",
    "\ufeff<!doctype html>",
    "<!-- a --><!-- <p> -->\n<!doctype html>",
    "<?xml version='1.0'?><!doctype html>",
  ];
  for (const html of documents) assert.ok(isDocument(html), html);
  const fragments = [
    "",
    " ",
    "x",
    "<p>",
    "<header>",
    "<htmls>",
    "<bodyguard>",
    "<!doctypes>",
    "x<html>",
    "<!-- <html>",
  ];
  for (const html of [...fragments, "<p><html>", "<!---->x", "<?xml", "&lt;html>", "<!doctype", "< html>"]) {
    assert.ok(!isDocument(html), html);
  }
});

Deno.test("a long run of comments or blanks begins no document", () => {
  for (const part of ["<!-- a -->", "<!--", "<?", " "]) {
    assert.ok(!isDocument(`${part.repeat(900_000 / part.length)}x`), part);
  }
});

Deno.test("what cannot be published as it is, is refused", () => {
  const refused = (parts: { html: string; title?: string; description?: string }, field?: string) => {
    try {
      pageSource({ file, layout: true, ...parts }, field === undefined ? undefined : () => field);
    } catch (thrown) {
      assert.ok(thrown instanceof GatewayError);
      return [thrown.code, thrown.message.split(":")[0]];
    }
    assert.fail("not refused");
  };
  assert.deepEqual(refused({ html: "a\0b" }), ["E_BAD_INPUT", "html"]);
  assert.deepEqual(refused({ html: "a\ud800" }, "extra_pages[0].html"), [
    "E_BAD_INPUT",
    "extra_pages[0].html",
  ]);
  assert.deepEqual(refused({ html: "x", title: "\udfff" }), ["E_BAD_INPUT", "title"]);
  assert.deepEqual(refused({ html: "x", description: "\0" }), ["E_BAD_INPUT", "description"]);
  const most = "é".repeat(LIMITS.STATIC_FILE_BYTES / 2);
  assert.ok(isGenerated(pageSource({ file, html: most, layout: false })));
  assert.deepEqual(refused({ html: `${most}a` }), ["E_FILE_TOO_LARGE", "html"]);
});

Deno.test("a file is ours when the mark stands on a line of its first 400 bytes", () => {
  const mark = "// site-ops-gateway:generated v1";
  assert.ok(isGenerated(pageSource({ file, html: "<!doctype html>", layout: false })));
  for (const text of [`---\n${mark}\n---\n`, `---\r\n${mark}\r\n`, mark, `\ufeff---\n${mark}`]) {
    assert.ok(isGenerated(text), JSON.stringify(text));
  }
  assert.ok(isGenerated("<!-- site-ops-gateway:generated v1 -->\n<p>"));
  assert.ok(isGenerated(`${"x".repeat(400 - mark.length - 1)}\n${mark}`));
  const others = [
    "",
    "---\n---\n<p>",
    `${"x".repeat(400 - mark.length)}\n${mark}`,
    `${"é".repeat(200)}\n${mark}`,
    `const html = "${mark}";`,
    `<p>${mark}</p>`,
    `---\nconst a = 1; ${mark}\n---`,
    `---\n${mark}0\n---`,
    "---\n// site-ops-gateway:generated\n---",
    "---\n// Site-Ops-Gateway:generated v1\n---",
  ];
  for (const text of others) assert.ok(!isGenerated(text), JSON.stringify(text));
});
