/** The way out: what is refused, and where a redirect may lead. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { fails, withServer, WRITE } from "./_servers.ts";

Deno.test("a redirected write is not followed and names the address to set", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const moved = () =>
      new Response(null, { status, headers: { location: "https://www.acme.example/wp-json/?x=1" } });
    await withServer(moved, async ({ send, seen }) => {
      await fails(
        send(WRITE),
        /"https:\/\/www\.acme\.example"; .*: if the site has moved there, set base_url to that address$/,
        status,
      );
      assert.equal(seen.length, 1);
    });
  }
});

Deno.test("a write that is moved within its own origin is not told to set that origin as the address", async () => {
  const moved = () => new Response(null, { status: 302, headers: { location: "/wp-login.php" } });
  await withServer(moved, async ({ send, seen }) => {
    await fails(
      send(WRITE),
      /points to another path of its own; a write is not sent on: see which plugin/,
      302,
    );
    assert.equal(seen.length, 1);
  });
});

Deno.test("a read follows redirects on its origin with its headers, three at most", async () => {
  const header = { authorization: "Basic c2VjcmV0" };
  await withServer(
    (request, nth) =>
      nth <= 3
        ? new Response("moved", { status: 302, headers: { location: `/hop${nth}` } })
        : new Response(request.headers.get("authorization")),
    async ({ send, seen, base }) => {
      const answer = await send({ headers: header });
      assert.equal(answer.text(), "Basic c2VjcmV0");
      assert.equal(answer.url, `${base}/hop3`);
      assert.equal(seen.length, 4);
    },
  );
  await withServer(
    (_, nth) => new Response(null, { status: 302, headers: { location: `/hop${nth}` } }),
    async ({ send, seen }) => {
      await fails(send({}), /redirects more than 3 times/, 504);
      assert.equal(seen.length, 4);
    },
  );
});

Deno.test("credentials never reach another origin", async () => {
  const secrets = {
    Authorization: "Basic c2VjcmV0",
    cookie: "a=b",
    "x-api-key": "secret",
    accept: "text/html",
  };
  await withServer((request) => Response.json(Object.fromEntries(request.headers)), async (other) => {
    await withServer(() => Response.redirect(`${other.base}/there`, 302), async ({ send }) => {
      const got = (await send({ headers: secrets })).json() as Record<string, string>;
      assert.equal(got["accept"], "text/html");
      for (const name of ["authorization", "cookie", "x-api-key"]) assert.equal(got[name], undefined, name);
    });
    await withServer(() => Response.redirect(`${other.base}/there`, 307), async ({ send }) => {
      await fails(
        send({ method: "POST", json: { token: "secret" } }),
        /redirects to "http:\/\/127.*set the address/,
        504,
      );
    });
    assert.equal(other.seen.length, 1);
  });
});

Deno.test("each hop is checked again, by address and by the egress policy", async () => {
  const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });
  await withServer(to("https://169.254.169.254/latest/"), async ({ send }) => {
    await fails(send({}), /private/, 502);
  });
  await withServer(to("http://acme.example/"), async ({ send }) => await fails(send({}), /not https/, 502));
  await withServer(
    to("file:///etc/passwd"),
    async ({ send }) => await fails(send({}), /not of the web/, 502),
  );
  await withServer(to("http://["), async ({ send }) => await fails(send({}), /cannot be read/, 504));
  await withServer(to("/?_method=DELETE"), async ({ base, seen }) => {
    using http = createHttp({ allowPrivate: ["127.0.0.1"] });
    const policy = (out: Outgoing) => {
      if (out.url.includes("_method")) throw new GatewayError("E_FORBIDDEN_OP", "no");
    };
    const sending = http.send({ method: "GET", url: base, effect: "read" }, {
      deadline: Date.now() + 5000,
      policy,
    });
    await fails(sending, /which was not followed: no/, 504);
    assert.equal(seen.length, 1);
  });
});

Deno.test("what the egress policy throws at the first request comes through, nothing is sent", async () => {
  await withServer(() => new Response(), async ({ base, seen }) => {
    using http = createHttp({ allowPrivate: ["127.0.0.1"] });
    const policy = () => {
      throw new GatewayError("E_FORBIDDEN_OP", "no");
    };
    const sending = http.send({ method: "GET", url: base, effect: "read" }, {
      deadline: Date.now() + 5000,
      policy,
    });
    await assert.rejects(sending, { code: "E_FORBIDDEN_OP" });
    assert.equal(seen.length, 0);
  });
});

Deno.test("a private address is refused before anything is sent", async () => {
  await withServer(() => new Response(), async ({ base, seen }) => {
    using http = createHttp({ allowPrivate: [] });
    const deadline = Date.now() + 5000;
    await fails(
      http.send({ method: "GET", url: base, effect: "read" }, { deadline }),
      /not https.*ALLOW_PRIVATE_UPSTREAMS/,
      502,
    );
    assert.equal(seen.length, 0);
  });
});

Deno.test("a header that cannot be written is a bug and not a broken connection", async () => {
  using http = createHttp({ allowPrivate: [], fetch: () => assert.fail("nothing may be sent") });
  const out = { method: "GET", url: "https://acme.example/", effect: "read", headers: { a: "é漢" } } as const;
  await assert.rejects(http.send(out, { deadline: Date.now() + 5000 }), TypeError);
});

Deno.test("a redirect that leads nowhere on the web is named by its scheme", async () => {
  for (const [location, named] of [["file:///etc/passwd", "file:"], ["javascript:alert(1)", "javascript:"]]) {
    const moved = () => new Response(null, { status: 302, headers: { location: location! } });
    const policy = ({ url }: Outgoing) => {
      if (!url.startsWith("http")) throw new GatewayError("E_FORBIDDEN_OP", "not there");
    };
    await withServer(moved, async ({ base }) => {
      using http = createHttp({ allowPrivate: ["127.0.0.1"] });
      const deadline = Date.now() + 5000;
      const read = { method: "GET", url: base, effect: "read" } as const;
      await fails(
        http.send(read, { deadline, policy }),
        new RegExp(`redirects to "${named}", which was not`),
        504,
      );
      const write = { method: "POST", url: base, effect: "write", json: {} } as const;
      await fails(http.send(write, { deadline, policy }), new RegExp(`points to "${named}"; a write`), 302);
    });
  }
});

Deno.test("a read that wants its redirects answered is given them, and follows none", async () => {
  const moved = () => new Response("moved", { status: 308, headers: { location: "https://other.example/" } });
  await withServer(moved, async ({ send, seen, base }) => {
    const answer = await send({ redirects: "answered" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [308, "https://other.example/"]);
    assert.ok(answer.url.startsWith(base));
    assert.equal(seen.length, 1);
  });
});

Deno.test("a read that is content with the beginning is cut there, whatever the status, and says so", async () => {
  for (const [length, cut] of [[99, undefined], [100, undefined], [101, true], [300_000, true]] as const) {
    for (const status of [200, 404]) {
      await withServer(() => new Response("x".repeat(length), { status }), async ({ send }) => {
        const answer = await send({ max_bytes: 100, cut_off: true });
        assert.deepEqual([answer.bytes.byteLength, answer.cut], [Math.min(length, 100), cut]);
      });
    }
  }
});
