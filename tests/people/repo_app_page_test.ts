/** The page of the repository app: who sees it, and what it says of an app that works, one that does not, and none. */
import assert from "node:assert/strict";
import { startGitHub } from "../../sandbox/github/start.ts";
import { gateway, site } from "../kit.ts";
import { settingsAt } from "../tools/_static.ts";
import { masterBrowser } from "./master_kit.ts";
import { PersonBrowser, plain, signedIn } from "./kit.ts";

const MARKUP = "<b>notes</b>";
const SITES = [
  site("main", "static", { repo: "Acme/Site", repo_branch: "main", repo_prefix: "web" }),
  site("notes", "cms", { repo: "other/notes", name: MARKUP }),
  site("lost", "static", { repo: "nobody/there" }),
];

Deno.test("the repository app is the master token's to see, and asked for nothing else", async () => {
  await using gw = await gateway({ sites: SITES });
  const admin = await signedIn(gw, "adam@agency.example", {
    role: "admin",
    allowed_sites: ["*"],
    max_risk: 2,
  });
  const member = await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["*"] });
  const master = await masterBrowser(gw);
  for (const path of ["/admin/github", "/admin/repo"]) {
    assert.equal((await new PersonBrowser(gw).open(path)).title, "Sign in");
    for (const { browser } of [admin, member]) assert.equal((await browser.open(path)).status, 403);
    const { status, text } = await master.open(path);
    assert.equal(status, 200);
    assert.match(plain(text), /The app is not set up[^.]*REPO_APP_ID/);
    assert.match(plain(text), /not known while the app does not work/);
    assert.doesNotMatch(text, /<b>notes/);
  }
  assert.doesNotMatch((await admin.browser.open("/admin")).text, /href="\/admin\/repo"/);
  assert.equal(gw.requests.length, 0);
});

Deno.test("an app that works shows its installations, and what covers each site or is lacking", async () => {
  await using host = await startGitHub();
  await host.make("acme/site");
  await host.make("other/notes");
  host.install("other", {
    type: "Organization",
    repositories: ["notes"],
    permissions: { contents: "read", metadata: "read" },
    suspended: false,
  });
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sites: SITES,
    settings: settingsAt(host, {}),
    http: { sleep: () => Promise.resolve() },
  });
  const { text } = await (await masterBrowser(gw)).open("/admin/github");
  const words = plain(text);
  assert.match(words, /The app Site gateway \(number \d+\) is set up/);
  assert.match(words, /acme all of them yes works/);
  assert.match(words, /other only those that the owner chose no: it was not given the right to write/);
  assert.match(words, /nobody\/ there its default all of it the owner has not installed the app/);
  assert.match(words, /other\/ notes its default all of it other: may only read/);
  assert.match(words, /Acme\/ Site main web acme/);
  assert.match(text, /\/installations\/new" rel="noopener noreferrer"/);
  assert.doesNotMatch(text, /PRIVATE KEY|ghs_|eyJ/);
});
