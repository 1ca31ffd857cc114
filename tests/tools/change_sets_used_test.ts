/** Items that use what earlier ones make: of the right kind, and only as it was left. */
import assert from "node:assert/strict";
import { type Args, PNG } from "../cms_kit.ts";
import { ground } from "./_ground.ts";
import { test as standIn, type World } from "./_stand_in.ts";

interface Item {
  readonly item: number;
  readonly state: string;
  readonly error?: { readonly code: string; readonly message: string };
}

interface Answer {
  readonly confirm_token: string;
  readonly items: readonly Item[];
}

interface Change {
  readonly tool: string;
  readonly arguments: Args;
}

const of = (tool: string, args: Args): Change => ({ tool, arguments: { site_id: "open", ...args } });
const DRAFT = of("create_draft", { title: "Mine", content_html: "<p>Mine</p>" });
const PAGE = of("create_page_draft", { title: "Mine", content_html: "<p>Mine</p>" });
const MADE = { $from: 1 };

async function carriedOut(at: Pick<World, "kit">, changes: readonly Change[]): Promise<readonly Item[]> {
  const order = { title: "A set", changes };
  const { confirm_token } = await at.kit.gw.call<Answer>("prepare_changes", order);
  return (await at.kit.gw.call<Answer>("prepare_changes", { ...order, confirm: true, confirm_token })).items;
}

/** Does something as soon as the row says that the tool has made what it makes. */
function onceMade(at: Pick<World, "kit">, tool: string, act: () => void): void {
  const { audit } = at.kit.gw.store;
  const append = audit.append.bind(audit);
  audit.append = async (row, beside) => {
    await append(row, beside);
    if (row.tool === tool && row.status === "ok") act();
  };
}

const REFUSED: readonly (readonly [maker: Change, user: Change, says: RegExp])[] = [
  [
    of("create_taxonomy", { taxonomy: "tag", name: "New" }),
    of("update_draft", { post_id: MADE, title: "Other" }),
    /item 2 .*post_id: item 1 makes a tag or category, and it takes a post or a page/,
  ],
  [
    of("create_taxonomy", { taxonomy: "tag", name: "New" }),
    of("create_draft", { title: "x", content_html: "<p>x</p>", featured_media_id: MADE }),
    /featured_media_id: item 1 makes a tag or category, and it takes an image/,
  ],
  [
    DRAFT,
    of("update_page_draft", { page_id: MADE, title: "x" }),
    /page_id: item 1 makes a post, and it takes a page/,
  ],
  [
    DRAFT,
    of("create_taxonomy", { taxonomy: "category", name: "New", parent_id: MADE }),
    /parent_id: item 1 makes a post, and it takes a tag or category/,
  ],
  [
    DRAFT,
    of("create_draft", { title: "x", content_html: "<p>x</p>", author_id: MADE }),
    /author_id: no item of a set makes what it names; give the id itself/,
  ],
  [
    of("update_draft", { post_id: 4, title: "x" }),
    of("publish_post", { post_id: MADE }),
    /post_id: item 1 is "update_draft", which makes nothing new; give the id itself/,
  ],
  [
    of("upload_media", { filename: "a.png", content_base64: PNG }),
    of("update_draft", { post_id: 4, content_html: "<p>x</p>", featured_media_id: MADE }),
    /featured_media_id: "update_draft" changes something that is there already.*do that one first/,
  ],
];

standIn(
  "an id is used only where such a thing is named, and never beside one of what is there",
  async (at) => {
    const before = JSON.stringify([...at.cms.posts.values()]);
    for (const [maker, user, says] of REFUSED) {
      await at.kit.gw.refuses(
        "prepare_changes",
        { title: "A set", changes: [maker, user] },
        "E_BAD_INPUT",
        says,
      );
    }
    assert.equal(at.kit.writes, 0);
    assert.equal(JSON.stringify([...at.cms.posts.values()]), before);
  },
);

for (
  const [maker, user] of [
    [DRAFT, of("publish_post", { post_id: MADE })],
    [DRAFT, of("schedule_draft", { post_id: MADE, scheduled_at: "2026-11-22T12:00:00Z" })],
    [DRAFT, of("update_draft", { post_id: MADE, title: "Renamed" })],
    [PAGE, of("publish_page", { page_id: MADE })],
    [PAGE, of("update_page_draft", { page_id: MADE, title: "Renamed" })],
  ] as const
) {
  standIn(
    `${user.tool}: what a person changed since it was made is not touched, and does not go live`,
    async (at) => {
      onceMade(at, maker.tool, () => {
        const [made] = [...at.cms.posts.values()].filter(({ title }) => title === "Mine");
        at.edit(made!, { title: "A person's", content: "<p>Not ready</p>" });
      });
      const [first, second] = await carriedOut(at, [maker, user]);
      assert.equal(first!.state, "done");
      assert.deepEqual([second!.state, second!.error?.code], ["failed", "E_STALE_PREVIEW"]);
      assert.match(second!.error!.message, /"title"/);
      const [made] = [...at.cms.posts.values()].filter(({ title }) => title === "A person's");
      assert.deepEqual([made!.status, made!.content], ["draft", "<p>Not ready</p>"]);
    },
  );
}

standIn("what the set itself does to it one after the other is no drift", async (at) => {
  const items = await carriedOut(at, [
    DRAFT,
    of("update_draft", { post_id: MADE, title: "Renamed" }),
    of("schedule_draft", { post_id: MADE, scheduled_at: "2026-11-22T12:00:00Z" }),
    of("unschedule", { post_id: MADE }),
    of("update_draft", { post_id: MADE, excerpt: "Short" }),
    of("publish_post", { post_id: MADE }),
    of("unschedule", { post_id: at.scheduled.id }),
    of("update_draft", { post_id: at.scheduled.id, title: "Not now" }),
  ]);
  assert.deepEqual(items.map(({ state, error }) => error ?? state), Array.from({ length: 8 }, () => "done"));
});

standIn("a moment without a zone is shown as the site's own, a moment with one as it is", async (at) => {
  const at9 = (scheduled_at: string) => of("schedule_draft", { post_id: MADE, scheduled_at });
  const changes = [DRAFT, at9("2026-11-23T09:00:00"), at9("2026-11-24T09:00:00+01:00")];
  const { items } = await at.kit.gw.call<{ items: { warnings?: string[] }[] }>("prepare_changes", {
    title: "A set",
    changes,
  });
  const [, without, with_] = items.map(({ warnings = [] }) => warnings.filter((one) => one.includes("zone")));
  assert.deepEqual(without, [
    "scheduled_at has no zone: it is by the site's own clock",
  ]);
  assert.deepEqual(with_, []);
});

Deno.test("a page from code that somebody changed since it was made does not go live", async () => {
  await using at = await ground();
  const call = { title: "From code", html: "<p>Code</p>", slug: "from-code" };
  const changes = [
    { tool: "create_page_from_code", arguments: { site_id: "cms", ...call } },
    { tool: "set_seo_meta", arguments: { site_id: "cms", post_id: MADE, title: "For search" } },
    { tool: "publish_page", arguments: { site_id: "cms", page_id: MADE } },
  ];
  const kit = { kit: { gw: at.gw } } as Pick<World, "kit">;
  const done = await carriedOut(kit, changes);
  assert.deepEqual(done.map(({ state, error }) => error ?? state), ["done", "done", "done"]);
  onceMade(kit, "set_seo_meta", () => {
    const [made] = [...at.cms.posts.values()].filter(({ slug }) => slug === "other-code");
    made!.title = "A person's";
  });
  const others = structuredClone(changes);
  Object.assign(others[0]!.arguments, { slug: "other-code", title: "Other code" });
  const [, , last] = await carriedOut(kit, others);
  assert.deepEqual([last!.state, last!.error?.code], ["failed", "E_STALE_PREVIEW"]);
});

Deno.test("what was made and could not be looked at since does not go live", async () => {
  await using at = await ground();
  const kit = { kit: { gw: at.gw } } as Pick<World, "kit">;
  const changes = [
    {
      tool: "create_page_from_code",
      arguments: { site_id: "cms", title: "Code", html: "<p>Code</p>", slug: "code" },
    },
    { tool: "publish_page", arguments: { site_id: "cms", page_id: MADE } },
  ];
  onceMade(kit, "create_page_from_code", () => {
    at.cms.inject({ kind: "answer", status: 403, body: { code: "rest_forbidden", message: "No" } }, {
      method: "GET",
      path: /pages\/\d+$/,
      times: 2,
    });
  });
  const [made, last] = await carriedOut(kit, changes);
  assert.equal(made!.state, "done");
  assert.deepEqual([last!.state, last!.error?.code], ["failed", "E_STALE_PREVIEW"]);
  assert.match(last!.error!.message, /How an earlier item left what it made is not known any more/);
  assert.deepEqual(
    [...at.cms.posts.values()].filter(({ slug }) => slug === "code").map(({ status }) => status),
    ["draft"],
  );
});
