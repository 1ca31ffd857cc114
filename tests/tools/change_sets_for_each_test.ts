/** One change on many sites: a site's own values, written as what they stand in, and never read as anything else. */
import assert from "node:assert/strict";
import { onEachSite } from "../../tools/activity/_for_each.ts";
import type { Site } from "../../core/model.ts";
import { NOW, site } from "../kit.ts";
import { test as standIn } from "./_stand_in.ts";

type Fields = Readonly<Record<string, unknown>>;

const NAME = `{{site.base_url}} <b>O'Neil & "Co"</b> $& $1`;

async function filled(args: Fields, name = NAME): Promise<Fields> {
  const at = new Date(NOW).toISOString();
  const one = { ...site("open", "cms", { name }), created_at: at, updated_at: at } as unknown as Site;
  const sites = { list: () => Promise.resolve([one]), projects: () => Promise.resolve([]) };
  const [change] = await onEachSite([{ tool: "some_tool", arguments: args }], ["open"], sites);
  const { site_id, ...rest } = change!.arguments;
  assert.equal(site_id, "open");
  return rest;
}

const HTML = "{{site.base_url}} &lt;b&gt;O&#39;Neil &amp; &quot;Co&quot;&lt;/b&gt; $&amp; $1";

Deno.test("a name is put in once, as it is in a text and escaped in HTML", async () => {
  assert.deepEqual(
    await filled({
      title: "{{site.name}} and {{ site.name }}",
      content_html: "<p>{{site.name}}</p>",
      variables: { intro: "{{site.name}}", intro_html: "{{site.name}}" },
      tags: ["{{site.name}}"],
    }),
    {
      title: `${NAME} and ${NAME}`,
      content_html: `<p>${HTML}</p>`,
      variables: { intro: NAME, intro_html: HTML },
      tags: [NAME],
    },
  );
});

Deno.test("braces before a name keep it from nobody, and other braces stay", async () => {
  const { text } = await filled({ text: "{{{site.name}}} {{x {{site.name}} {{other}} {{ {{" }, "A");
  assert.equal(text, "{A} {{x A {{other}} {{ {{");
});

Deno.test("in a file a name is written as the file is read", async () => {
  const file = async (path: string, content: string, name = NAME) =>
    (await filled({ files: [{ path, content }], path: "none" }, name))["files"];
  const content = "<p>{{site.name}}</p>";
  for (const path of ["a.html", "public/b.SVG", "src/pages/c.astro"]) {
    assert.deepEqual(await file(path, content), [{ path, content: `<p>${HTML}</p>` }]);
  }
  assert.deepEqual(await file("a.md", content), [{ path: "a.md", content: `<p>${NAME}</p>` }]);
  const [{ content: json }] = await file("a.json", '{"name": "{{site.name}}"}') as [{ content: string }];
  assert.deepEqual(JSON.parse(json), { name: NAME });
  assert.deepEqual(await file("a.js", 'say("{{site.name}}")', "Plain name"), [
    { path: "a.js", content: 'say("Plain name")' },
  ]);
  for (const name of [NAME, "O'Neil", 'a"b', "a\\b", "a`b", "</script>", "a\nb"]) {
    await assert.rejects(
      file("a.js", 'say("{{site.name}}")', name),
      /{{site.name}}: .*in code is no text; write it out/,
    );
    await assert.rejects(filled({ js: 'say("{{site.name}}")' }, name), /in code is no text/);
  }
});

Deno.test("text that is JSON stays JSON, whatever a site is called", async () => {
  const { schema } = await filled({ schema: '{"@type": "Organization", "name": "{{site.name}}"}' });
  assert.deepEqual(JSON.parse(schema as string), { "@type": "Organization", name: NAME });
});

Deno.test("what is none of the three values is refused, in whatever case", async () => {
  for (
    const name of ["site.title", "Site.Name", "SITE.URL", "site", "project", "site.__proto__", "project.id"]
  ) {
    await assert.rejects(filled({ title: `{{${name}}}` }), /there is no such value; there are {{site.name}}/);
  }
  await assert.rejects(filled({ title: "{{project.name}}" }), /has none; leave it out/);
});

standIn("a set without for_each says that a site's values stay as they are", async (at) => {
  const of = (
    title: string,
  ) => [{ tool: "create_draft", arguments: { site_id: "open", title, content_html: "<p>x</p>" } }];
  const warned = async (title: string) =>
    (await at.kit.gw.call<{ warnings: string[] }>("prepare_changes", { title: "A set", changes: of(title) }))
      .warnings;
  assert.match(
    (await warned("Hi {{site.name}}")).join(),
    /{{site.name}} and its like stay as they are here.*for_each/,
  );
  assert.deepEqual(await warned("Hi {{name}}"), []);
});

standIn("a reference that is written as a text, or counted from 0, is named", async (at) => {
  const draft = {
    tool: "create_draft",
    arguments: { site_id: "open", title: "x", content_html: "<p>x</p>" },
  };
  const rows: readonly (readonly [unknown, RegExp])[] = [
    ["$from:1", /post_id: give {"\$from": 1} itself, an object, not as a text/],
    ['{"$from": 1}', /post_id: "\$from" stands within a text/],
    [{ $from: 0 }, /"\$from" is 0, and this is item 2; name one that comes before it, counted from 1/],
    [{ $from: 3 }, /"\$from" is 3, and this is item 2/],
  ];
  for (const [post_id, says] of rows) {
    const update = { tool: "update_draft", arguments: { site_id: "open", post_id, title: "y" } };
    await at.kit.gw.refuses(
      "prepare_changes",
      { title: "A set", changes: [draft, update] },
      "E_BAD_INPUT",
      says,
    );
  }
});
