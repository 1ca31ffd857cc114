/** Paths in a repository: what is refused, however it is spelled, and what passes. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import {
  isBlocked,
  markdownPath,
  pathPrefix,
  sourcePath,
  underPrefix,
  writablePath,
} from "../../../rules/path.ts";
import { LIMITS } from "../../../core/model.ts";
import { rows, words } from "../../words.ts";

const MAX = LIMITS.REPO_PATH_CHARACTERS;
const ABSOLUTE = "is absolute";
const PART = "holds the part";
const EMPTY = "has an empty part";
const CONTROL = "holds a control character";
const BACKSLASH = "holds a backslash";

/** Paths no tool takes, and a word of the reason. */
const MALFORMED = rows({
  "is empty": [""],
  [ABSOLUTE]: words("/ /etc/passwd //src/a.ts %2fetc/passwd %2Fetc ／etc C:/windows c:a.txt"),
  [EMPTY]: words("file:///etc/passwd a//b a/b/ a%2f/b a%2f%2fb"),
  [PART]: words(
    `
    . .. ./a.md ../a.md a/.. a/../b a/./b a/b/../../../c src/components/../../package.json %2e%2e/a %2E%2E/a
    %2e./a .%2E/a a/%2e%2e/b a%2f..%2fb a%2F%2e%2e%2Fb %2e a/%2e/b ．．/a a/．．/b ‥/a ․․/a a／..／b
    %ef%bc%8e%ef%bc%8e/a ... a/.../b …/a a/\u00a0/b
  `,
    "a/.. /b",
    "a/ ../b",
    "a/ /b",
  ),
  [BACKSLASH]: words("a\\b ..\\a a%5cb ..%5C..%5Ca a＼b"),
  [CONTROL]: words(
    `
    a\0b a%00b src/a.md\0.png a%0ab a\tb a\x7fb a\u0085b a\u2028b a\u202egpj.exe a\u2066b
  `,
    "a\nb",
  ),
  "encode no text": words("%c0%ae%c0%ae/a %ff/a %e0%80%af"),
  "unpaired surrogate": words("a\ud800b a/\udc00"),
  "has 251 characters": ["a".repeat(MAX + 1), "é".repeat(MAX + 1), `src/content/${"a".repeat(MAX - 14)}.md`],
});

/** Paths that lead to what is blocked. */
const BLOCKED = words(
  `
  .env .ENV .Env .env.production .env.local .ENV.Production .env.example a/b/.env .env/a
  src/content/.env.d/x.md .env. .env~ .env.bak .env:stream .env::$DATA %2eenv .%65nv .en%76
  a/%2Eenv.production .envrc .env_local .env-old .dev.vars .Dev.Vars.staging .npmrc packages/a/.NPMRC .netrc
  server.pem A/B.PEM server.key certs/Site.Key store.p12 store.pfx x.pem. .key id_rsa ID_RSA.pub id_rsa_old
  .ssh/id_ed25519 id_ed25519.pub id_ecdsa id_dsa credentials.json config/Credentials.JSON credentials%2ejson
  .git .git/config .GIT/HEAD .Git/hooks/x a/.git/config .git./config git~1/config GIT~1/HEAD a/git~2
  .g\u200cit/config .gi\u200dt/config .git\ufeff/config \u200b.git/config .g\u00adit/config .g\u034fit
  .git::$INDEX_ALLOCATION/config .gıt/config .gİt/config .ｇｉｔ/config ．git/config ․git/config 。git/config
  .%67it/config %2egit%2fconfig .git%2Fconfig .𝐠𝐢𝐭/config .ⓖⓘⓣ/config .gіt/config .giτ/config .git⁄config
  .git∕config .gi\u0301t .ɢit .github/workflows/a.yml .GitHub/Workflows/a.yml .GitHub/Workflows
  .github/workflows a/.github/workflows/b.yml .github%2fworkflows%2fa.yml .github/workflоws/a.yml
  .ｇｉｔｈｕｂ/workflows/a.yml GITHUB~1/workflows/a.yml node_modules/a/index.js NODE_MODULES/a Node_Modules
  packages/a/node_modules/b.js node＿modules/a node_modu\u2060les/a NODE_M~1/a dist/index.html DIST/a
  packages/web/dist/a.js dіst/a dist build/a.js Build a/build/b ｂｕｉｌｄ/a .astro/types.d.ts .ASTRO/a .output/a
  .wrangler/state .Wrangler/a .cache/a a/.cache/b .еnv .εnv .ｅｎｖ .env．production .e\u200bnv .ℯnv ．env
  credentiаls.json іd_rsa a.рem a.kеy
  a.env prod.env config/site.env.local .git-credentials GIT-CR~1 .yarnrc .yarnrc.yml packages/a/.yarnrc.yml .pypirc
  service-account.json service-account-prod.json service_account.json keys/ServiceAccount.json putty.ppk A.PPK
  .htpasswd public/.htpasswd HTPASS~1 .aws .aws/credentials a/.aws/config .ssh/config .docker/config.json .kube/config
  terraform.tfstate terraform.tfstate.backup infra/prod.tfvars prod.auto.tfvars.json .terraform/a secrets.json
  Secrets.yml secret.toml config/secrets.ts a/secrets.enc.yaml data/.secrets/a .secrets my.secret credentials.yml
  passwords.csv client_secret_123.apps.json acme-firebase-adminsdk-x.json wp-config.php .bash_history auth.json
  store.jks app.p8 home.kdbx office.ovpn .pgpass sftp-config.json .github/actions .github/actions/a/action.yml
  .GitHub/Actions/a .github/асtions/a .circleci/config.yml .gitlab-ci.yml Jenkinsfile azure-pipelines.yml
  .npmrc.bak .git-credentials~ a.pem.old key.pem.txt id_rsa.txt .htpasswd.orig .netrc.save .#.npmrc .a.pem.swp a.env.bak
  wp-config.php.bak terraform.tfstate.1 x.p12.20261129 my-service-account.json google-service-account-key.json
  config/serviceAccountKey.json my-secrets.yaml app.secrets.json db_credentials.csv client-secret.json clientsecret.json
  env.local a/env.production.local .flaskenv rclone.conf .config/rclone/rclone.conf .config/gh/hosts.yml
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .bundle/config .python_history
  azureProfile.json secring.gpg LocalSettings.php .nрmrc .npmrс~ ..npmrc.swp #.npmrc# .npmrc%2ebak
  sеcrets.json ｓecrets.json .htpаsswd service%2daccount.json .aws%2fcredentials .a\u200bws/credentials
`,
  ".env ",
  " .env",
  "x.key ",
  ".git /config",
  ".git. . /config",
  ".github./workflows /a.yml",
  "dist ",
);

/** Paths that are like blocked ones and are not. */
const FINE = words(
  `
  a a.md src/components/Card.astro src/styles/global.css public/robots.txt README.md astro.config.mjs
  package.json .gitignore .gitattributes .gitkeep src/content/.gitkeep .github/dependabot.yml
  .github/workflow.md workflows/a.yml docs/.github .environment.md env env.md src/env.d.ts dist.md
  distance/a src/build.ts rebuild/a builder node_modules.md keys.md key pem monkey.jpg a.keys src/content/blog/secrets.md
  src/pages/passwords.astro src/components/Secret.tsx public/secrets.png src/password.ts .docker/nginx.conf secretary.json
  notes.bak key.txt key.bak env.bak env.test.ts .cargo/config.toml .m2/a.xml .config/a.json our-service-accounting.json
  my-secret.md trade-secrets.astro secrets-of-tea.md service-account-help.md src/secretSanta.ts a.old LocalSettings.md
  service-accounts.md src/content/process.env.md .github/CODEOWNERS actions/a.yml vite-env.d.ts aws/a secrets/a.md my-id_rsa.md
  credentials.md a/credentials.json.md npmrc astro/a output/a cache/a git/a.md git~/a notes~1.md 100%.md
  a%20b.md %252e%252e/a a..b ..a a.. .well-known/security.txt über/straße.md блог/новости.md κείμενο.md
  日本語/記事.md public/👨‍👩‍👧.png می\u200cخواهم.md a?b a#b [slug].astro a:b 1:2 a'b"c ~/a $HOME/a -rf
`,
  "50% off.md",
  "a b.md",
  "a".repeat(MAX),
  "😀".repeat(MAX),
);

function refusal(call: () => unknown, what: string): GatewayError {
  try {
    call();
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError, `${what}: ${thrown}`);
    return thrown;
  }
  assert.fail(`${JSON.stringify(what)} was not refused`);
}

function isBadPath(call: () => unknown, what: string, reason: string): void {
  const { code, message } = refusal(call, what);
  assert.equal(code, "E_BAD_PATH", what);
  assert.ok(message.startsWith("path: "), message);
  assert.ok(message.includes(reason), `${JSON.stringify(what)}: ${message}`);
  assert.ok(!message.endsWith("."), message);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(message, /[\0-\x1f\u2028\u202e\ufeff]/, what);
}

Deno.test(`paths that are malformed or climb out are refused by rule (${MALFORMED.length} of them)`, () => {
  for (const [path, reason] of MALFORMED) isBadPath(() => sourcePath(path, "path"), path, reason);
});

Deno.test(`paths that lead to what is blocked are refused, however spelled (${BLOCKED.length} of them)`, () => {
  assert.ok(BLOCKED.length + MALFORMED.length >= 120);
  assert.equal(new Set(BLOCKED).size, BLOCKED.length);
  for (const path of BLOCKED) {
    assert.ok(isBlocked(path), `${JSON.stringify(path)} is not filtered`);
    const { code, message } = refusal(() => sourcePath(path, "path"), path);
    assert.equal(code, "E_BAD_PATH", path);
    assert.match(message, /^path: /);
  }
});

Deno.test("blocked names are refused below folders that may be written and below the site's own", () => {
  for (const path of BLOCKED.filter((one) => !/^[ \\]/.test(one))) {
    refusal(() => writablePath(`src/content/${path}`, "path"), path);
    assert.ok(isBlocked(`clients/acme/${path}`), path);
  }
});

Deno.test("a blocked path's refusal says what it leads to", () => {
  isBadPath(() => sourcePath("a/.ENV.local", "path"), "a/.ENV.local", "a file that holds secrets");
  isBadPath(() => sourcePath(".git/config", "path"), ".git/config", "the repository's own records");
  isBadPath(() => sourcePath("x/.GitHub/Workflows/a.yml", "path"), "workflows", "the workflows that run");
  isBadPath(() => sourcePath("node_modules/a", "path"), "node_modules", "installed packages");
  isBadPath(() => sourcePath(".wrangler/a", "path"), ".wrangler", "build output");
});

Deno.test("paths that only resemble blocked ones pass as they are", () => {
  for (const path of FINE) {
    assert.equal(isBlocked(path), false, path);
    if (path === "a:b") continue; // a drive
    assert.equal(sourcePath(path, "path"), path, path);
  }
});

Deno.test("a path is answered in the Unicode form it came in, and measured in the composed one", () => {
  assert.equal(sourcePath("cafe\u0301/u\u0308ber.md", "path"), "cafe\u0301/u\u0308ber.md");
  assert.equal(sourcePath("e\u0301".repeat(MAX), "path"), "e\u0301".repeat(MAX));
});

Deno.test("the field is named as the caller calls it", () => {
  assert.match(
    refusal(() => sourcePath("../a", "files[3].path"), "../a").message,
    /^files\[3\]\.path: "\.\.\/a"/,
  );
});

Deno.test("single files are written under five folders only, with the way that is open", () => {
  const fine = words(`
    src/components/Card.astro src/styles/a/b.css src/layouts/Base.astro public/favicon.svg src/content/blog/a.md
    src/content/blog/config.md public/_headers public/_redirects src/content/configs/a.json public/a/_worker.js
  `);
  for (const path of fine) {
    assert.equal(writablePath(path, "path"), path);
  }
  const refused: readonly (readonly [string, string])[] = [
    ["src/pages/index.astro", "use create_static_route or update_static_route"],
    ["SRC/Pages/a.astro", "create_static_route"],
    ["src/pages", "create_static_route"],
    ["src/ｐages/a.astro", "create_static_route"],
    ["package.json", "outside the folders for single files"],
    ["astro.config.mjs", "bulk_write_static_files"],
    ["src/content.config.ts", "outside"],
    ["src/components", "outside"],
    ["src/componentsX/a", "outside"],
    ["Src/components/a", "outside"],
    ["functions/a.ts", "outside"],
    [".github/dependabot.yml", "outside"],
    ["src/content/config.ts", "is configuration"],
    ["src/content/Config.mjs", "is configuration"],
    ["src/content/config%2ets", "is configuration"],
    ["public/_worker.js", "would run as code of the host"],
    ["public/_worker.js/index.js", "would run"],
    ["public/_worker.js.map", "would run"],
    ["public/_Routes.json", "would run"],
    ["public/_routes.json ", "would run"],
    ["public/../src/pages/a.astro", PART],
    ["public/.env", "secrets"],
  ];
  for (const [path, reason] of refused) isBadPath(() => writablePath(path, "path"), path, reason);
});

Deno.test("markdown is .md, .mdx or .markdown", () => {
  for (const path of ["a.md", "a/b.mdx", "a.markdown", "README.MD", "a.b.md"]) {
    assert.equal(markdownPath(path, "path"), path);
  }
  for (const path of ["a", "a.txt", "a.md.html", "a.mdown", ".md", "a/.mdx", "a.md ", "md"]) {
    isBadPath(() => markdownPath(path, "path"), path, "is not markdown");
  }
  isBadPath(() => markdownPath("../a.md", "path"), "../a.md", PART);
  isBadPath(() => markdownPath("dist/a.md", "path"), "dist/a.md", "build output");
});

Deno.test("the prefix of a listing is judged like a path, and keeps its slash", () => {
  for (const prefix of ["", "src", "src/", "src/co", "src/content/blog/"]) {
    assert.equal(pathPrefix(prefix, "path"), prefix);
  }
  const refused = words(
    "/ // /src src// .. ../ src/../ .git/ node_modules .env a\0 .GitHub/Workflows/ %2e%2e/",
  );
  for (const prefix of [...refused, "a".repeat(MAX + 1)]) {
    isBadPath(() => pathPrefix(prefix, "path"), prefix, "");
  }
});

Deno.test("the site's folder is put before a path", () => {
  for (const none of [null, ""]) assert.equal(underPrefix(none, "a/b.md", "path"), "a/b.md");
  assert.equal(underPrefix("clients/acme", "a/b.md", "path"), "clients/acme/a/b.md");
});

Deno.test("a path and the site's folder together hold the limit and lead into nothing blocked", () => {
  const prefix = "p".repeat(100);
  const longest = "a".repeat(MAX - 101);
  assert.equal(underPrefix(prefix, longest, "path").length, MAX);
  isBadPath(() => underPrefix(prefix, `${longest}a`, "path"), "251", "has 251 characters");
  isBadPath(() => underPrefix(".github", "workflows/a.yml", "path"), "workflows", "with the site's folder");
  isBadPath(() => underPrefix("a/.GITHUB", "Workflows/a.yml", "path"), "workflows", "the workflows");
  isBadPath(() => underPrefix("web/dist", "a.md", "path"), "dist", "build output");
  isBadPath(() => underPrefix("dist/web", "a.md", "path"), "dist", "build output");
  assert.equal(underPrefix(".github", "ISSUE_TEMPLATE/a.md", "path"), ".github/ISSUE_TEMPLATE/a.md");
  // Routes have rules of their own: their files may lie in folders a single file may not be put into.
  assert.equal(underPrefix("web", "src/pages/build/house.astro", "route"), "web/src/pages/build/house.astro");
  const { code, message } = refusal(() => underPrefix(prefix, `${longest}a`, "route", "E_BAD_ROUTE"), "code");
  assert.deepEqual([code, message.startsWith("route: ")], ["E_BAD_ROUTE", true]);
});
