/** Clocks and races that would publish: every trap of a CMS's states. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { draft, type Row } from "./_scenarios.ts";
import { gets, POST, posts, withDraft } from "./_stand_in.ts";
import { ahead, worldOf } from "./_world.ts";

Deno.test("a site whose clock is ahead gets no schedule that it would publish at once", async () => {
  await withDraft(async ({ cms, world, id, status }) => {
    cms.skew(50);
    const args = { post_id: id, scheduled_at: ahead(100) };
    await world.refuses("E_FORBIDDEN_OP", /by the site's clock .*published at once/, "schedule_draft", args);
    assert.deepEqual([status(), cms.writes.length], ["draft", 0]);
    await world.call("schedule_draft", { ...args, scheduled_at: ahead(150) });
    assert.equal(status(), "future");
  });
});

Deno.test("a site whose clock is behind is no reason to schedule less than 60 s ahead", async () => {
  await withDraft(async ({ cms, world, id }) => {
    cms.skew(-3600);
    await world.refuses("E_FORBIDDEN_OP", /at least 60 s/, "schedule_draft", {
      post_id: id,
      scheduled_at: ahead(30),
    });
    assert.equal(cms.writes.length, 0);
  });
});

Deno.test("a post that a schedule published is made a draft again at once", async () => {
  await withDraft(async ({ cms, world, id, status }) => {
    cms.inject({ kind: "skew", seconds: 7200 }, posts(id));
    const args = { post_id: id, scheduled_at: ahead(3600) };
    await world.refuses(
      "E_FORBIDDEN_OP",
      /state "published" instead.*made a draft again at once/,
      "schedule_draft",
      args,
    );
    assert.equal(status(), "draft");
    assert.deepEqual(cms.writes.map(({ body }) => body), [
      { status: "future", date_gmt: args.scheduled_at },
      { status: "draft", date: null },
    ]);
  });
});

Deno.test("a post that cannot be made a draft again is told to be taken down", async () => {
  await withDraft(async ({ cms, world, id }) => {
    cms.inject({ kind: "skew", seconds: 7200 }, posts(id));
    cms.inject({ kind: "html" }, posts(id));
    const args = { post_id: id, scheduled_at: ahead(3600) };
    await world.refuses("E_FORBIDDEN_OP", /take it down in the CMS now/, "schedule_draft", args);
  });
});

Deno.test("a schedule whose answer was lost is looked up: done, undone, or taken back", async () => {
  await withDraft(async ({ cms, world, id, status }) => {
    const args = { post_id: id, scheduled_at: ahead(3600) };
    cms.inject({ kind: "reset", applied: true }, posts(id));
    assert.equal((await world.call<Row>("schedule_draft", args)).status, "scheduled");
    await world.call("unschedule", { post_id: id });
    cms.inject({ kind: "reset" }, posts(id));
    await world.refuses("E_UPSTREAM", /outcome is unknown/, "schedule_draft", args);
    assert.equal(status(), "draft");
  });
});

Deno.test("a post published after the plan looked at it is not written to", async () => {
  await withDraft(async ({ cms, world, id }) => {
    cms.inject({ kind: "publish", post_id: id }, gets(id));
    const says = /^status: post \d+ was changed at .*Z, .* nothing was written/;
    await world.refuses("E_STALE_PREVIEW", says, "update_draft", { post_id: id, title: "x" });
    assert.deepEqual(cms.writes, []);
  });
});

Deno.test("a post published between the last look and the write is told to be live with the change", async () => {
  await withDraft(async ({ cms, world, id }) => {
    await world.preview("update_draft", { post_id: id, title: "x" });
    const planned = cms.requests.filter(({ path }) => POST(id).test(path)).length;
    let reads = 0;
    const late = worldOf(cms, "admin", {
      http: {
        fetch: (input, init) => {
          const { pathname } = new URL(String(input));
          const reading = init?.method === "GET" && pathname.endsWith(`/wp/v2/posts/${id}`);
          if (reading && reads++ === planned) cms.inject({ kind: "publish", post_id: id }, gets(id));
          return fetch(input, init);
        },
      },
    });
    await late.refuses("E_FORBIDDEN_OP", /stands as "published".*live page: look at it/, "update_draft", {
      post_id: id,
      title: "x",
    });
  });
});

Deno.test("a scheduled post about to go live is not changed, since that would publish it", async () => {
  await withDraft(async ({ cms, world, id, status }) => {
    await world.call("schedule_draft", { post_id: id, scheduled_at: ahead(3600) });
    cms.skew(3580);
    cms.clear();
    await world.refuses("E_FORBIDDEN_OP", /goes live at .*unschedule it first/, "update_draft", {
      post_id: id,
      title: "x",
    });
    assert.deepEqual([status(), cms.writes.length], ["future", 0]);
    await world.call("unschedule", { post_id: id });
    assert.equal(status(), "draft");
  });
});

Deno.test("a site that publishes what was made as a draft has it taken back", async () => {
  await using cms = await startWordPressStandIn();
  const world = worldOf(cms, "admin", {
    http: {
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (init?.method !== "POST" || !String(input).includes("/wp/v2/posts?")) return answer;
        const made = await answer.json();
        cms.publish(made.id);
        return Response.json({ ...made, status: "publish" }, { status: 201 });
      },
    },
  });
  const args = { title: "Too eager", content_html: "y" };
  await world.refuses(
    "E_FORBIDDEN_OP",
    /stands as "published".*made a draft again at once/,
    "create_draft",
    args,
  );
  assert.equal([...cms.posts.values()].find(({ title }) => title === "Too eager")!.status, "draft");
});

Deno.test("a published post that a site lists among its drafts is left out", async () => {
  await withDraft(async ({ cms, world, id }) => {
    const { id: other } = await draft(world);
    const eager = worldOf(cms, "admin", {
      http: {
        fetch: async (input, init) => {
          const answer = await fetch(input, init);
          if (init?.method === "GET" && String(input).includes("/wp/v2/posts?")) {
            const rows: { id: number; status: string }[] = await answer.json();
            return Response.json(rows.map((row) => row.id === other ? { ...row, status: "publish" } : row));
          }
          return answer;
        },
      },
    });
    const { posts } = await eager.call<{ posts: Row[] }>("list_drafts", { page: 1, per_page: 20 });
    assert.deepEqual(posts.map((row) => row.id), [id]);
  });
});
