/** Images from addresses that callers name. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { type World, worldOf, type WorldOptions } from "./_world.ts";

const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

type Answer = (url: string) => Response;

/** A world whose web is that answer, and whose names resolve as given. */
async function withWeb(
  answer: Answer,
  use: (world: World, asked: { url: string; headers: Headers }[]) => Promise<void>,
  addresses: readonly string[] = ["93.184.216.34"],
): Promise<void> {
  await using cms = await startWordPressStandIn();
  const asked: { url: string; headers: Headers }[] = [];
  const options: WorldOptions = {
    http: {
      lookup: () => Promise.resolve(addresses),
      fetch: (input, init) => {
        const url = String(input);
        if (url.startsWith(cms.base_url)) return fetch(input, init);
        asked.push({ url, headers: new Headers(init?.headers) });
        return Promise.resolve(answer(url));
      },
    },
  };
  await use(worldOf(cms, "admin", options), asked);
}

const upload = (source_url: string, more: Record<string, unknown> = {}) =>
  ["upload_media", { filename: "a", source_url, ...more }] as const;

Deno.test("an image is taken from a public address without credentials", async () => {
  await withWeb(() => new Response(PNG), async (world, asked) => {
    const media = await world.call(...upload("https://files.example/a.png?size=1"));
    assert.equal(media["mime_type"], "image/png");
    assert.match(String(media["url"]), /\/a\.png$/);
    assert.deepEqual(asked.map(({ url }) => url), ["https://files.example/a.png?size=1"]);
    assert.deepEqual([...asked[0]!.headers.keys()].toSorted(), ["accept", "user-agent"]);
  });
});

Deno.test("private addresses, other schemes and redirects to them are E_BAD_INPUT naming source_url", async () => {
  const wrong = [
    "http://files.example/a.png",
    "https://127.0.0.1/a.png",
    "https://localhost/a.png",
    "https://[::1]/a.png",
    "https://169.254.169.254/latest/meta-data/",
    "https://user:pass@files.example/a.png",
    "ftp://files.example/a.png",
    "file:///etc/passwd",
    "data:image/png;base64,AAAA",
  ];
  await withWeb(() => new Response(PNG), async (world, asked) => {
    for (const url of wrong) await world.refuses("E_BAD_INPUT", /^source_url: /, ...upload(url));
    assert.deepEqual([asked, world.writes], [[], []]);
  });
  await withWeb(() => new Response(PNG), async (world, asked) => {
    await world.refuses(
      "E_BAD_INPUT",
      /^source_url: only a public https/,
      ...upload("https://inside.example/a.png"),
    );
    assert.deepEqual(asked, []);
  }, ["10.0.0.7"]);
  const moved = () =>
    new Response(null, { status: 302, headers: { location: "https://169.254.169.254/latest/" } });
  await withWeb(moved, async (world, asked) => {
    await world.refuses("E_BAD_INPUT", /^source_url: /, ...upload("https://files.example/a.png"));
    assert.equal(asked.length, 1);
  });
});

Deno.test("what is no image, too large or not there is refused before anything is uploaded", async () => {
  const cases: [Answer, string, RegExp][] = [
    [() => new Response("<html>"), "E_BAD_INPUT", /^source_url: the bytes are not those of a PNG/],
    [() => new Response("no", { status: 404 }), "E_UPSTREAM", /^source_url: "files\.example" answered 404/],
    [() => new Response(new Uint8Array(21 * 1024 * 1024)), "E_UPSTREAM", /more than \d+ bytes/],
  ];
  for (const [answer, code, message] of cases) {
    await withWeb(answer, async (world) => {
      await world.refuses(code, message, ...upload("https://files.example/a.png"));
      assert.deepEqual(world.writes, []);
    });
  }
  await withWeb(() => new Response(PNG), async (world) => {
    const args = upload("https://files.example/a.png", { mime_type: "image/gif" });
    await world.refuses(
      "E_BAD_INPUT",
      /^mime_type: "image\/gif" was given, but the bytes are image\/png/,
      ...args,
    );
  });
});

Deno.test("base64 that is none, or holds no image, is refused before anything is asked", async () => {
  await withWeb(() => new Response(PNG), async (world) => {
    const given: [string, RegExp][] = [
      ["%%%", /^content_base64: not base64/],
      ["data:image/png;base64,iVBORw0KGgo=", /leave out what stands before the comma/],
      [new TextEncoder().encode("<svg/>").toBase64(), /not those of a PNG/],
      [new TextEncoder().encode("<?php echo 1;").toBase64(), /not those of a PNG/],
      ["", /not those of a PNG/],
    ];
    for (const [content_base64, message] of given) {
      await world.refuses("E_BAD_INPUT", message, "upload_media", { filename: "a.png", content_base64 });
    }
    const large = new Uint8Array(20 * 1024 * 1024 + 1);
    large.set(PNG);
    const args = { filename: "a.png", content_base64: large.toBase64() };
    await world.refuses("E_FILE_TOO_LARGE", /^content_base64: /, "upload_media", args);
    assert.deepEqual(world.sent, []);
  });
});
