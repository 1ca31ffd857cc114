/** What of arguments is kept: no credential by name or look, nothing beyond the budget, whatever is thrown at it. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { redactText, redactWhole, shorten } from "../../../guard/audit/redact.ts";
import { LIMITS } from "../../../core/model.ts";
import { words } from "../../words.ts";

const RANDOM = "Ab3-_xYz09".repeat(5);
const WORD = "Ab3xYz09Qr".repeat(4);

/** Texts around a credential, and the credential in them. */
const CREDENTIALS: Record<string, string> = {
  "a token of the gateway": `gate_prod_${RANDOM.slice(0, 43)}`,
  "a token with another prefix": `acme1_dev_${RANDOM.slice(0, 43)}`,
  "an OAuth token": `oat_${RANDOM.slice(0, 43)}`,
  "a refresh token": `ort_${RANDOM.slice(0, 43)}`,
  "a code of OAuth": `oac_${RANDOM.slice(0, 43)}`,
  "a bearer header": `Bearer ${WORD}`,
  "a basic header": `Basic ${btoa("admin:secret words")}`,
  "a JSON Web Token": `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${WORD}`,
  "a JSON Web Token without its signature": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0",
  "a repository token": `ghp_${WORD}`,
  "a fine-grained repository token": `github_pat_${WORD}`,
  "a CRM token": `pit-${WORD}`,
  "an access key id": "AKIAIOSFODNN7EXAMPLE",
  "a token of the account platform": `ya29.${WORD}`,
  "a token of the ads platform": `EAA${WORD}`,
  "an application password": "aB3d EFgh 12iJ kl5m NOpq 67rS",
  "a Google API key": `AIzaSy${WORD.slice(0, 33)}`,
  "a Brevo key": `xkeysib-${"0a1b2c3d".repeat(8)}-${WORD.slice(0, 16)}`,
  "a SendGrid key": `SG.${WORD.slice(0, 22)}.${WORD}`,
  "a Mailgun key": `key-${"0a1b2c3d".repeat(4)}`,
  "a Mailchimp key": `${"0a1b2c3d".repeat(4)}-us12`,
  "a Stripe key": `sk_live_${WORD}`,
  "a restricted Stripe key": `rk_live_${WORD}`,
  "a signing secret": `whsec_${WORD}`,
  "a GitLab token": `glpat-${WORD}`,
  "an npm token": `npm_${WORD}`,
  "a Shopify token": `shpat_${"0a1b2c3d".repeat(4)}`,
  "an OAuth client's secret": `GOCSPX-${WORD}`,
  "a refresh token of Google's": `1//0${WORD}`,
  "a bot's token": `123456789:AA${WORD.slice(0, 33)}`,
  "a temporary access key": "ASIAIOSFODNN7EXAMPLE",
  "a PGP key": `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${WORD}\n-----END PGP PRIVATE KEY BLOCK-----`,
  "a private key": `-----BEGIN RSA PRIVATE KEY-----\n${WORD}\n-----END RSA PRIVATE KEY-----`,
};

for (const [name, secret] of Object.entries(CREDENTIALS)) {
  Deno.test(`${name} is taken out of a text, alone, within words and as the name of an argument`, () => {
    for (const text of [secret, `use ${secret}`, `"${secret}"`, `(${secret})`]) {
      const kept = redactText(text);
      assert.ok(!kept.includes(secret) && kept.includes("[redacted]"), kept);
    }
    const kept = JSON.stringify(shorten({ title: `a ${secret}`, [secret]: 1, list: [{ deep: secret }] }));
    assert.ok(!kept.includes(secret), kept);
  });
}

Deno.test("an address keeps all but the credentials in it", () => {
  assert.equal(redactText("https://user:pass@a.example/x?page=2"), "https://[redacted]@a.example/x?page=2");
  for (const name of ["access_token", "token", "key", "api_key", "secret", "password", "sig", "signature"]) {
    const text = `https://a.example/?a=1&${name}=abc123&b=2`;
    assert.equal(redactText(text), `https://a.example/?a=1&${name}=[redacted]&b=2`);
  }
});

Deno.test("a secret behind its name is taken out, and the name stays", () => {
  const rows: readonly (readonly [text: string, kept: string])[] = [
    ["password=hunter2", "password=[redacted]"],
    ["DB_PASSWORD='hunter2' ok", "DB_PASSWORD='[redacted]' ok"],
    ['define: $db_password = "hunter2";', 'define: $db_password = "[redacted]";'],
    ["client_secret=abc123&b=2", "client_secret=[redacted]&b=2"],
    ['{"api_key": "abc123", "a": 1}', '{"api_key": "[redacted]", "a": 1}'],
    ["AccountKey=abc123==;EndpointSuffix=x", "AccountKey=[redacted];EndpointSuffix=x"],
    ["Cookie: a=b; c=d\nHost: x", "Cookie: [redacted]\nHost: x"],
    ["set-cookie: sid=1; Path=/", "set-cookie: [redacted]"],
    ["X-Api-Key: 0123456789 \nHost: x", "X-Api-Key: [redacted]\nHost: x"],
    ["x-goog-api-key: abc", "x-goog-api-key: [redacted]"],
    ["a?next=%2F%3Fpassword%3Dhunter2&b=1", "a?next=%2F%3Fpassword%3D[redacted]&b=1"],
    ["PHPSESSID=abc123; x", "PHPSESSID=[redacted]; x"],
    [
      `wordpress_logged_in_${"0a1b2c3d".repeat(4)}=admin%7C1`,
      `wordpress_logged_in_${"0a1b2c3d".repeat(4)}=[redacted]`,
    ],
  ];
  for (const [text, kept] of rows) assert.equal(redactText(text), kept);
});

Deno.test("a private key ends where its block ends, and what follows stays", () => {
  const text = `a -----BEGIN PRIVATE KEY-----\n${WORD}\n-----END PRIVATE KEY----- b`;
  assert.equal(redactText(text), "a [redacted] b");
  assert.equal(redactText(text.slice(0, 60)), "a [redacted]");
});

Deno.test("a name of a secret in a sentence hides nothing", () => {
  for (
    const text of [
      "Password: at least 8 signs",
      "Our cookie policy: read it",
      "token: required",
      "The secret is out",
      "const token = next(); let secret=import('a');",
      "<input type=password name=a>",
      "the sitemap key-value pairs",
      "skip to the end of npm and hf",
      "a task-list of risk-management-and-so-forth",
    ]
  ) assert.equal(redactText(text), text);
});

Deno.test("plain text stays as it is", () => {
  for (
    const text of words(
      "Hello 2026-11-21T09:30:00Z https://a.example/b?page=2 <p>Bearer</p>",
      "",
      "A basic idea",
    )
  ) {
    assert.equal(redactText(text), text);
    assert.equal(shorten(text), text);
  }
});

Deno.test("a value under a name of a secret is taken out whole, whatever it is; nothing there stays nothing", () => {
  const names = words(`
    password application_password passphrase client_secret api_key apiKey API-KEY access_token Authorization
    credentials private_key Cookie
  `);
  for (const name of names) {
    for (const value of ["hunter2", 7, true, ["hunter2"], { a: "hunter2" }]) {
      const taken = { [name]: "[redacted]" };
      assert.deepEqual(shorten({ [name]: value }), taken);
      assert.deepEqual(
        redactWhole([{ in: { [name]: value } }]),
        [{ in: taken }],
        "where texts are shown whole as well",
      );
    }
    assert.deepEqual(shorten({ [name]: null }), { [name]: null });
    assert.deepEqual(shorten({ [name]: "" }), { [name]: "" });
  }
  assert.deepEqual(shorten({ author_id: 7, path: "a", keyword: "b" }), {
    author_id: 7,
    path: "a",
    keyword: "b",
  });
});

Deno.test("a text over 200 characters becomes its length in bytes, hash and head, without the credential in it", () => {
  const text = `é${"a".repeat(150)} gate_dev_${WORD} ${"b".repeat(500)}`;
  const kept = shorten({ text }) as { text: { length: number; sha256: string; head: string } };
  assert.equal(kept.text.length, new TextEncoder().encode(text).length);
  assert.equal(kept.text.sha256, hash("sha256", text));
  assert.equal(kept.text.head.length, 200);
  assert.ok(kept.text.head.includes("[redacted]") && !JSON.stringify(kept).includes(WORD.slice(0, 8)));
});

Deno.test("half a credential where the search of a long text ends is not kept", () => {
  const long = `eyJhbGciOiJIUzI1NiJ9.${"e".repeat(1900)}.${"s".repeat(40)}`;
  for (const fill of [0, 5, 10, 20, 30, 40]) {
    const text = `${long} ${"x".repeat(fill)} gate_prod_${WORD}${"z".repeat(3000)}`;
    const kept = JSON.stringify(shorten({ text }));
    assert.ok(!kept.includes(WORD.slice(0, 4)), kept);
  }
});

Deno.test("a list over 20 items becomes its count and its first five", () => {
  assert.deepEqual(shorten(Array.from({ length: 21 }, (_, i) => i)), { count: 21, first: [0, 1, 2, 3, 4] });
  const twenty = Array.from({ length: 20 }, (_, i) => i);
  assert.deepEqual(shorten(twenty), twenty);
});

const nested = (levels: number, make: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = make(value);
  return value;
};

/** Values that are large in one way each. */
const LARGE: Record<string, () => unknown> = {
  "many arguments": () => Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`name_${i}`, i])),
  "many secrets": () => Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`password_${i}`, "a"])),
  "many long names": () =>
    Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}${"n".repeat(1000)}`, i])),
  "one long name": () => ({ ["n".repeat(5_000_000)]: 1 }),
  "one long text": () => ({ text: "a".repeat(5_000_000) }),
  "many texts": () => Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`t${i}`, "a".repeat(199)])),
  "wide characters": () =>
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`t${i}`, "語".repeat(190)])),
  "characters that JSON escapes": () =>
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`t${i}`, "\u0001".repeat(190)])),
  "wide names": () =>
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}${"語".repeat(190)}`, 1])),
  "lists of empty lists": () => nested(4, (inner) => Array(20).fill(inner === 1 ? [] : inner)),
  "lists of empty objects": () => nested(4, (inner) => Array(20).fill(inner === 1 ? {} : inner)),
  "lists in each other": () => nested(100_000, (inner) => [inner]),
  "objects in each other": () => nested(100_000, (inner) => ({ inner })),
};

for (const [name, make] of Object.entries(LARGE)) {
  Deno.test(`${name} keep to the budget, but for the marks of what was cut`, () => {
    const kept = JSON.stringify(shorten(make()));
    const bytes = new TextEncoder().encode(kept).length;
    assert.ok(bytes <= LIMITS.AUDIT_ARGUMENT_BYTES + 2048, `${bytes} bytes`);
  });
}

Deno.test("what was given is never changed", () => {
  const given = { password: "hunter2", list: [{ text: "a".repeat(300) }] };
  const before = structuredClone(given);
  shorten(given);
  assert.deepEqual(given, before);
});

Deno.test("six short words in a row are no application password", () => {
  for (const title of ["Best cars from Acme made 2024", "this that them they have been"]) {
    assert.equal(redactText(title), title);
  }
});

Deno.test("a token is redacted also behind a dash and in a row of them", () => {
  const token = `eyJ${"a".repeat(60)}.${"b".repeat(40)}.${"c".repeat(43)}`;
  for (const text of [token, `key-${token}`, `a ${token} b`, `-eyJ-eyJ-${token}`]) {
    assert.ok(!redactText(text).includes("bbbb"), text);
  }
});
