/** Five jobs of an agency, done by an agent in at most 40 calls, and nothing else is changed. */
import assert from "node:assert/strict";
import { startGitHub } from "../../sandbox/github/start.ts";
import { addCompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import { addGuardedSeo } from "../../sandbox/wordpress_standin/companion_guarded_seo.ts";
import { addCompanionSeo } from "../../sandbox/wordpress_standin/companion_seo.ts";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { ahead, freshPng } from "../cms_kit.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { Agent, alternativeTexts, frontmatter, landingPage, phoneNumber, series } from "./_jobs.ts";
import { OPEN_FLAGS, REPO, settingsAt } from "./_static.ts";

const SITES = 12;
const CALLS = 40;
const IMAGES = 30;
const OLD = '<!-- wp:html -->\n<p><a href="tel:+49301234567">030 / 123 45 67</a></p>\n<!-- /wp:html -->';
const NEW = '<!-- wp:html -->\n<p><a href="tel:+49301112233">030 111 22 33</a></p>\n<!-- /wp:html -->';
const DAY = 86_400;

const fileOf = (n: number, author: string) =>
  `---\ntitle: Note ${n}\nslug: note-${n}\nauthor: ${author}\n---\n\nText of ${n}.\n`;
const files = Object.fromEntries(
  Array.from({ length: 5 }, (_, n) => [`notes/${n + 1}.md`, fileOf(n + 1, "Bob Example")]),
);

/** A gateway with the sites of one client and a repository. */
async function opened(stack: AsyncDisposableStack) {
  const host = await startGitHub();
  stack.defer(() => host.stop());
  await host.make(REPO, { files });
  const shops: WordPressStandIn[] = [];
  for (let n = 0; n < SITES; n++) {
    const cms = await startWordPressStandIn();
    stack.defer(() => cms.stop());
    addGuardedSeo(cms.app, addCompanionSeo(cms.app, cms.state));
    addCompanionFind(cms.app, cms.state);
    addPost(cms.state, { type: "page", author: 1, title: "Contact", content: OLD, status: "publish" });
    addPost(cms.state, { type: "post", author: 1, title: "News", content: OLD });
    shops.push(cms);
  }
  const shared = {
    project_id: "herbs",
    seo: { enabled: true, channel: "plugin" },
    flags: { allow_publish: true, allow_seo_on_published: true },
  } as const;
  const kit = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    settings: settingsAt(host),
    sites: [
      site("notes", "static", { repo: REPO, repo_branch: "main", flags: OPEN_FLAGS }),
      ...shops.map(({ base_url, users: { admin } }, n) => {
        const { username, application_password } = admin;
        return site(`shop-${n + 1}`, "cms", {
          ...shared,
          base_url,
          credentials: { cms: { username, application_password } },
        });
      }),
    ],
  });
  stack.use(kit);
  return { kit, host, shops, first: shops[0]! };
}

/** Images without a text of their own. */
async function addImages(kit: Kit, site_id: string): Promise<void> {
  for (let n = 1; n <= IMAGES; n++) {
    const image = { site_id, filename: `pot-${n}.png`, content_base64: freshPng(String(n)) };
    await kit.call("upload_media", { ...image, confirm: true });
  }
}

const titled = ({ posts }: WordPressStandIn) =>
  [...posts.values()].filter(({ file }) => file === undefined).map(({ title, status }) =>
    `${status}: ${title}`
  ).sort();

Deno.test("five jobs take at most 40 calls, and change what was asked for alone", async () => {
  await using stack = new AsyncDisposableStack();
  const { kit, host, shops, first } = await opened(stack);
  await addImages(kit, "shop-1");
  const before = shops.map(titled);
  const agent = new Agent(kit);
  const counts: number[] = [];
  const at = ([1, 2, 3, 4] as const).map((days) => ahead(days * DAY)) as [string, string, string, string];
  for (
    const job of [
      () => landingPage(agent, "shop-1"),
      () => series(agent, "shop-1", { at, moved: ahead(9 * DAY) }),
      () => phoneNumber(agent, "herbs"),
      () => frontmatter(agent, "notes", "notes/"),
      () => alternativeTexts(agent, "shop-1", (title) => `A pot, ${title}`),
    ]
  ) {
    const was = agent.calls;
    await job();
    counts.push(agent.calls - was);
  }
  assert.deepEqual(counts, [2, 4, 15, 8, 3]);
  assert.ok(agent.calls <= CALLS);
  assert.ok(agent.longest < 24_000, `an answer of ${agent.longest} bytes`);

  const page = [...first.posts.values()].find(({ slug }) => slug === "spring-offer");
  assert.equal(page?.status, "publish");
  const led = await fetch(`${first.base_url}/spring`, { redirect: "manual" });
  await led.body?.cancel();
  assert.deepEqual([led.status, new URL(led.headers.get("location") ?? "", first.base_url).pathname], [
    301,
    "/spring-offer",
  ]);
  const parts = [1, 2, 3, 4].map((n) =>
    [...first.posts.values()].find(({ title }) => title === `Growing herbs, part ${n}`)!
  );
  assert.deepEqual(parts.map(({ status }) => status), ["future", "future", "future", "draft"]);
  assert.equal(new Date(parts[2]!.date.at).toISOString().slice(0, 10), ahead(9 * DAY).slice(0, 10));
  for (const shop of shops) {
    const texts = [...shop.posts.values()].filter(({ title }) => title === "Contact" || title === "News");
    assert.deepEqual(texts.map(({ content }) => content), [NEW, NEW]);
  }
  const news = [
    "future: Growing herbs, part 1",
    "future: Growing herbs, part 2",
    "future: Growing herbs, part 3",
  ];
  const added = [...news, "draft: Growing herbs, part 4", "publish: Spring offer"];
  assert.deepEqual(shops.map(titled), before.map((rows, n) => n === 0 ? [...rows, ...added].sort() : rows));
  for (const path of Object.keys(files)) {
    const n = Number(path.slice("notes/".length, -".md".length));
    assert.equal(await host.git(REPO, "show", `main:${path}`), fileOf(n, "Ada Example"));
  }
  const images = [...first.posts.values()].flatMap(({ file, title }) =>
    file ? [[file.alt_text, `A pot, ${title}`]] : []
  );
  assert.deepEqual([images.length, images.every(([is, wanted]) => is === wanted)], [IMAGES, true]);
});
