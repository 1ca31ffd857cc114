/** A status is found in whatever a server may read a text as, in whatever letters, and beside whatever names it. */
import assert from "node:assert/strict";
import { namedForbidden } from "../../../rules/proxied/named.ts";
import { payloadFault } from "../../../rules/proxied/payload.ts";

const LIVE = ["publish", "private", "future"] as const;
const ALL = ["publish", "private", "future", "draft"] as const;
type Word = (typeof ALL)[number];

const percent = (text: string) =>
  [...text].map((sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
const php = (name: string, value: string) =>
  `a:2:{s:4:"titl";s:3:"é";s:${name.length}:"${name}";s:${value.length}:"${value}";}`;

/** Texts that set a status, by what reads them. */
const TEXTS: Readonly<Record<string, (word: Word) => string>> = {
  "JSON": (word) => JSON.stringify({ post_status: word }),
  "JSON in base64": (word) => btoa(JSON.stringify({ post_status: word })),
  "JSON in base64, twice": (word) => btoa(btoa(JSON.stringify({ post_status: word }))),
  "JSON in base64, in lines": (word) =>
    btoa(JSON.stringify({ a: "x".repeat(90), post_status: word })).replace(/.{64}/g, "$&\n"),
  "JSON in a data address": (word) =>
    `data:application/json;base64,${btoa(JSON.stringify({ post_status: word }))}`,
  "JSON, percent-encoded": (word) => encodeURIComponent(JSON.stringify({ post_status: word })),
  "JSON, percent-encoded twice": (word) =>
    encodeURIComponent(encodeURIComponent(JSON.stringify({ post_status: word }))),
  "JSON, percent-encoded throughout": (word) => percent(JSON.stringify({ post_status: word })),
  "JSON in a fence": (word) => "```json\n" + JSON.stringify({ post_status: word }) + "\n```",
  "YAML in a fence": (word) => "```yaml\ntitle: x\nstatus: " + word + "\n```\n",
  "JSON behind a comment": (word) => `// settings\n/* of a post */ ${JSON.stringify({ post_status: word })}`,
  "JSON behind a guard": (word) => `)]}',\n${JSON.stringify({ post_status: word })}`,
  "JSON in HTML": (word) => JSON.stringify({ post_status: word }).replaceAll('"', "&quot;"),
  "JSON in hex": (word) => percent(JSON.stringify({ post_status: word })).replaceAll("%", ""),
  "a text in quotes": (word) => JSON.stringify(btoa(JSON.stringify({ post_status: word }))),
  "a query": (word) => `title=x&post_status=${word}`,
  "a query behind its mark": (word) => `?post_status=${word}`,
  "a query, percent-encoded": (word) => encodeURIComponent(`title=x&post_status=${word}`),
  "a query in base64": (word) => btoa(`title=x&post_status=${word}`),
  "serialized": (word) => php("post_status", word),
  "serialized within serialized": (word) => `a:1:{i:0;${php("post_status", word)}}`,
  "a serialized object": (word) => `O:8:"stdClass":1:{s:14:"\0*\0post_status";s:${word.length}:"${word}";}`,
  "a serialized text": (word) => {
    const json = JSON.stringify({ post_status: word });
    return `s:${json.length}:"${json}";`;
  },
  "serialized, and broken": (word) => `a:9:{s:11:"post_status";s:${word.length}:"${word}";`,
  "serialized, in base64": (word) => btoa(`a:1:{s:11:"post_status";s:${word.length}:"${word}";}`),
  "serialized, percent-encoded": (word) =>
    encodeURIComponent(`a:1:{s:11:"post_status";s:${word.length}:"${word}";}`),
  "WXR": (word) =>
    `<?xml version="1.0"?><rss><channel><item><title>x</title><wp:comment_status>open</wp:comment_status><wp:status><![CDATA[${word}]]></wp:status></item></channel></rss>`,
  "a piece of WXR": (word) => `<wp:post_type>page</wp:post_type>\n<wp:status>\n  ${word}\n</wp:status>`,
  "XML-RPC": (word) =>
    `<methodCall><methodName>wp.editPost</methodName><params><param><value><struct><member><name>post_status</name><value><string>${word}</string></value></member></struct></value></param></params></methodCall>`,
  "XML with attributes": (word) => `<?xml version="1.0"?><post id="5" status="${word}"/>`,
  "XML with named fields": (word) =>
    `<?xml version="1.0"?><post><field name="post_status">${word}</field></post>`,
  "a command": (word) => `wp post update 5 --post_status=${word} --porcelain`,
  "a command without its program": (word) => `post update 5 --post_status="${word}"`,
  "flags alone": (word) => `--post_title=x --post_status ${word}`,
  "SQL that updates": (word) => `UPDATE wp_posts SET \`post_status\` = '${word}' WHERE ID = 5`,
  "SQL that inserts": (word) => `INSERT INTO wp_posts (post_title, post_status) VALUES ('x', '${word}')`,
  "a part of SQL": (word) => `post_status = '${word}'`,
  "YAML": (word) => `title: Hello\npost_status: ${word}\n`,
  "YAML of one plain word": (word) => `---\nstatus: ${word} # now\n`,
  "YAML with blanks before it": (word) => `\n\n  title: Hello\n  status: "${word}"\n`,
  "YAML of names and values": (word) => `- name: title\n  value: x\n- name: post_status\n  value: ${word}\n`,
  "YAML with a list": (word) => `title: x\nstatus:\n  - ${word}\n`,
  "YAML with a text in it": (word) =>
    `content: |\n  Some text, and more of it.\n  And more.\nstatus: ${word}`,
  "YAML with types": (word) => `title: x\nstatus: !!str ${word}\nmore: y\n`,
  "the head of a text, lines ending twice": (word) => `---\r\nstatus: ${word}\r\n---\r\nx`,
  "an environment": (word) => `export A=b\nexport POST_STATUS=${word}\n`,
  "settings in quotes": (word) => `'post_status': '${word}', 'x': 1`,
  "INI": (word) => `; comment\n[post]\ntitle = Hello\nstatus = ${word}\n`,
  "one line of INI": (word) => `post_status = ${word}`,
  "the head of a text": (word) =>
    `---\ntitle: Hello\nstatus: ${word}\n---\n\n# Hello\n\nThe status is a word.`,
  "the head of a text, as TOML": (word) => `+++\ntitle = "Hello"\nstatus = "${word}"\n+++\n\n# Hello`,
  "other XML": (word) => `<export><page id="5"><status>${word}</status></page></export>`,
  "XML with names of its own": (word) => `<a:x xmlns:a="y"><a:status lang="en">${word}</a:status></a:x>`,
  "XML with entities": (word) => `<x><status>&#${word.charCodeAt(0)};${word.slice(1)}</status></x>`,
  "a table": (word) => `post_title,post_status\nHello,draft\n"x, y","${word}"\n`,
  "a table with one plain word": (word) => `title;status;date\nHello;${word};2026-01-01`,
  "a command by its path": (word) => `/usr/local/bin/wp post update 5 --post_status=${word}`,
  "a command behind another": (word) => `cd /srv && wp post update 5 --post_status=${word}`,
  "a route": (word) => `/wp/v2/posts/5?status=${word}`,
  "a route with its site": (word) => `https://example.com/wp-json/wp/v2/pages/5?title=x&status=${word}`,
  "a route of a site without names": (word) =>
    `https://example.com/?rest_route=/wp/v2/pages/5&status=${word}`,
  "GraphQL": (word) => `mutation { updatePost(input: { id: 5, status: ${word.toUpperCase()} }) { id } }`,
  "base64 that says so": (word) => `base64:${btoa(JSON.stringify({ post_status: word }))}`,
  "attributes of a block": (word) => `<!-- wp:acme/post {"post_status":"${word}"} /-->`,
  "attributes of a block among others": (word) =>
    `<!-- wp:paragraph --><p>x</p><!-- /wp:paragraph -->\n<!-- wp:acme/post {"a":{"status":"${word}"}} -->x<!-- /wp:acme/post -->`,
};

for (const [how, text] of Object.entries(TEXTS)) {
  Deno.test(`a status is found in ${how}`, () => {
    for (const word of LIVE) {
      for (const args of [{ data: text(word) }, { settings: { a: [text(word)] } }, { content: text(word) }]) {
        assert.notEqual(payloadFault(args), null, JSON.stringify(args));
      }
    }
    for (const key of ["data", "content"]) {
      assert.equal(payloadFault({ [key]: text("draft") }), null, text("draft"));
    }
  });
}

Deno.test("who wrote a text that is refused learns which, and what was read in it", () => {
  assert.deepEqual(payloadFault({ settings: { notes: "title: x\nstatus: publish" } }), {
    field: "settings.notes[0].status",
    value: '"publish"',
    text: "settings.notes",
  });
  assert.deepEqual(payloadFault({ a: { status: "publish" } }), { field: "a.status", value: '"publish"' });
});

Deno.test("what a text names to be done is found as well", () => {
  for (
    const text of [
      "title: x\noperation: delete\n",
      btoa('{"operation":"delete-post"}'),
      'a:1:{s:6:"action";s:5:"trash";}',
      encodeURIComponent('{"ability_name":"shop/delete-post"}'),
      '<!-- wp:acme/x {"action":"delete"} /-->',
    ]
  ) assert.notEqual(namedForbidden({ data: text }), null, text);
  for (const text of ["title: x\npublish: true", btoa('{"force_delete":true}'), 'a:1:{s:7:"publish";b:1;}']) {
    assert.notEqual(payloadFault({ data: text }), null, text);
  }
});

Deno.test("a key in other letters is read as those who fold or drop them read it", () => {
  for (
    const key of [
      "statuѕ", // the last letter is Cyrillic
      "ѕtаtuѕ",
      "ｐｏｓｔ＿ｓｔａｔｕｓ",
      "post\u200b_status",
      "post_sta\u00adtus",
      "póst_státus",
      "post_sta\u0308tus",
      "post_sta\u3164tus",
      "post_sta\0tus",
      "𝘱𝘰𝘴𝘵_𝘴𝘵𝘢𝘵𝘶𝘴",
      "post_жstatus",
      "post_status\u2800",
      "ꜱᴛᴀᴛᴜꜱ",
      "ŝŧąťųş",
      "ⓢⓣⓐⓣⓤⓢ",
    ]
  ) {
    for (const value of [...LIVE, "inherit", 1]) {
      for (const args of [{ [key]: value }, { settings: JSON.stringify({ [key]: value }) }]) {
        assert.notEqual(payloadFault(args), null, JSON.stringify(args));
      }
    }
    assert.equal(payloadFault({ [key]: "draft" }), null);
    assert.notEqual(payloadFault({ a: { name: key, content: "publish" } }), null, key);
  }
  assert.notEqual(payloadFault({ "рublish": true }), null);
  assert.notEqual(payloadFault({ new_status_value: "рubliѕh" }), null);
});

Deno.test("a status that is named beside its value is found, whatever the two are called", () => {
  for (
    const name of ["status", "post_status", "postStatus", "/post_status", "--post_status", "data.status"]
  ) {
    for (
      const [one, other] of [["name", "content"], ["field", "to"], ["key", "data"], ["a", "b"], [
        "column",
        "set",
      ], ["property", "is"]]
    ) {
      for (const word of [...LIVE, "trash"]) {
        for (const value of [word, [word], { raw: word }]) {
          const args = { fields: [{ id: 5, [one!]: name, [other!]: value }] };
          assert.notEqual(payloadFault(args), null, JSON.stringify(args));
        }
      }
      assert.equal(payloadFault({ fields: [{ [one!]: name, [other!]: "draft" }] }), null);
    }
  }
  for (
    const args of [
      { args: ["post", "update", "5", "--post_status", "publish"] },
      { args: ["post", "update", "5", "--post_status=publish"] },
      { data: ["post_title", "x", "post_status", "publish"] },
      { columns: ["post_title", "post_status"], values: ["x", "publish"] },
      { columns: ["post_title", "post_status"], rows: [["x", "draft"], ["y", "publish"]] },
    ]
  ) assert.notEqual(payloadFault(args), null, JSON.stringify(args));
});

Deno.test("who may see a page, and a yes to showing it, are found", () => {
  for (
    const args of [
      { visibility: "public" },
      { settings: { post_visibility: "private" } },
      { page: { visibility: ["public"] } },
      { unprivate: true },
      { publish_at: "now" },
      { publishOn: "2026-01-01" },
      { workflow_state: "published" },
      { statuses: { 5: "publish" } },
      { go_live: 1 },
      { make_public: "yes" },
      { publish_page: true },
      { settings: { auto_publish_now: "yes" } },
      { publish_ids: [5] },
      { post_date: "2020-01-01", status: "future" },
    ]
  ) assert.notEqual(payloadFault(args), null, JSON.stringify(args));
  for (
    const args of [
      { visibility: "visible" },
      { style: { visibility: "hidden" } },
      { catalog_visibility: "search" },
      { sticky: true, settings: { sticky: "top" } },
      { post_date: "2020-01-01", status: "draft" },
      {
        settings: {
          show_publish: "yes",
          publish_date: "2026-01-01",
          publish_days: ["monday"],
          hide_publish: "yes",
        },
      },
    ]
  ) assert.equal(payloadFault(args), null, JSON.stringify(args));
});

const BEFORE = [
  "",
  "UPDATE ",
  "wp post ",
  "<?xml ",
  "a:9:{",
  "---\n",
  "a: b\n",
  "a=",
  "%7B",
  "[a",
  "{",
  "status: ",
  "/wp/v2/a?",
  "a,status\n",
  btoa("post_status=publish&x=".padEnd(60, "y")),
];

Deno.test("texts are judged in bounded time, whatever they repeat", () => {
  const began = performance.now();
  for (
    const part of [
      "a=",
      "%25",
      "%2525",
      "%%35",
      "<status",
      "<wp:status>",
      "<status <a>",
      "status: \n",
      "key: value\n",
      "- status\n",
      "a:1:{",
      's:6:"status";',
      "--status ",
      "--post_status=",
      "<!-- wp:a {",
      '<!-- wp:a {"status":"x"} -->',
      "status = '",
      "`status`",
      "wp ",
      "YWFh",
      "eyJh",
      " ",
      "\n",
      "a",
      "a,",
      ": ",
      "- ",
      "\\",
      "{",
      "[[",
      "<a ",
      "mutation status: ",
    ]
  ) {
    const text = part.repeat(500_000 / part.length);
    for (const before of BEFORE) {
      try {
        payloadFault({ data: before + text + " \n!{" });
      } catch (error) {
        assert.match(
          String(error),
          /more than 25000 values|hold too much to be judged|nested deeper than 64 levels/,
        );
      }
    }
  }
  assert.ok(performance.now() - began < 20_000);
});
