/** Redirect URIs: which a client may name, and which then is one of them, character by character. */
import assert from "node:assert/strict";
import { ownScheme, redirectAllowed, redirectFault, redirectHost } from "../../../rules/redirect_uri.ts";
import { rows, words } from "../../words.ts";

Deno.test("a redirect URI is https, http on loopback, or of an editor's own scheme", () => {
  const fine = [
    "https://app.example/callback",
    "https://app.example:8443/cb?tenant=a%20b",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:3000/cb",
    "http://localhost:3000",
    "http://[::1]:3000/cb?x=1",
    // What Cursor registers (soflyy/agent-connector-for-wp issue 111), and an address as extensions of the editors have it.
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://vscode.github-authentication/did-authenticate",
    "vscode-insiders://vscode.github-authentication/did-authenticate",
  ];
  for (const uri of fine) assert.equal(redirectFault(uri), null, uri);
  const faulty = rows({
    "is http": words(`
      http://app.example/cb http://localhost.app.example/cb http://127.0.0.1.app.example/cb
      http://127.0.0.2/cb
    `),
    "user name": words(`
      http://127.0.0.1:80@app.example/cb https://user@app.example/cb vscode://user@host/cb
    `),
    "characters": words(
      `
      https://app.example/cb#part https://app.example\\@other.example/cb https://app.example/"><script>
      https://äpp.example/cb
    `,
      "https://app.example/c b",
      "https://app.example/cb\n",
      "",
    ),
    "scheme": words(`
      javascript:alert(1) data:text/html,hello com.example.app:/callback cursor:/callback cursor:///callback
      CURSOR://anysphere.cursor-retrieval/cb cursors://anysphere.cursor-retrieval/cb xvscode://host/cb
      file:///etc/passwd
    `),
    "absolute": words("/callback app.example/callback http://127.0.0.1:99999/cb"),
  });
  for (const [uri, fault] of faulty) assert.ok(redirectFault(uri)?.includes(fault), uri);
});

Deno.test("a redirect URI that differs by a character, or by how one is written, is another", () => {
  const named = ["https://app.example/callback", "https://app.example/cb?a=%2F"];
  for (const uri of named) assert.ok(redirectAllowed(uri, named));
  const others = words(`
    https://app.example/callback/ https://app.example/callbac https://app.example/Callback
    https://APP.example/callback https://app.example:443/callback https://app.example/callback?
    https://app.example/callback?x=1 https://app.example/%63allback https://app.example/cb?a=/
    https://app.example/cb?a=%2f https://app.example/x/../callback https://app.example.evil.example/callback
    http://app.example/callback
  `);
  for (const uri of others) assert.ok(!redirectAllowed(uri, named), uri);
});

Deno.test("on loopback the port may be another, and nothing else", () => {
  const named = ["http://127.0.0.1:3000/callback", "http://[::1]/callback"];
  for (
    const uri of ["http://127.0.0.1:4711/callback", "http://127.0.0.1/callback", "http://[::1]:5/callback"]
  ) {
    assert.ok(redirectAllowed(uri, named), uri);
  }
  for (
    const uri of [
      "http://localhost:3000/callback",
      "http://127.0.0.1:3000/callback2",
      "http://127.0.0.1:3000/callback?x=1",
      "https://127.0.0.1:3000/callback",
      "http://127.0.0.1:99999/callback",
    ]
  ) assert.ok(!redirectAllowed(uri, named), uri);
});

Deno.test("a redirect URI that could not be named is none of those a document names all the same", () => {
  assert.ok(!redirectAllowed("javascript:alert(1)", ["javascript:alert(1)"]));
});

Deno.test("the host is shown as it is, of a program on one's own machine without its port", () => {
  assert.equal(redirectHost("https://app.example:8443/cb"), "app.example:8443");
  assert.equal(redirectHost("http://127.0.0.1:3000/cb"), "127.0.0.1");
  assert.equal(redirectHost("cursor://anysphere.cursor-retrieval/cb"), "cursor://anysphere.cursor-retrieval");
});

Deno.test("an editor's own scheme is known with the program that is meant, and its port is nothing of ours", () => {
  const uri = "cursor://anysphere.cursor-retrieval/cb";
  assert.deepEqual(ownScheme(uri), { scheme: "cursor://", program: "Cursor" });
  assert.equal(ownScheme("https://cursor.com/cb"), null);
  assert.equal(ownScheme("http://127.0.0.1:1/cursor://"), null);
  assert.ok(redirectAllowed(uri, [uri]));
  for (
    const other of [
      `${uri}/`,
      "cursor://anysphere.cursor-retrieval:1/cb",
      "vscode://anysphere.cursor-retrieval/cb",
    ]
  ) {
    assert.ok(!redirectAllowed(other, [uri]), other);
  }
});
