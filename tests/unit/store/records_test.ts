/** Tokens, sites, projects, users and what hangs on them. */
import assert from "node:assert/strict";
import { Leases } from "../../../store/leases.ts";
import { Sealer } from "../../../store/seal.ts";
import { bench, Clock, folder, interfere, KEY, newToken, open, proveAnew } from "./kit.ts";

Deno.test("a token's text is told once and only its hash is stored", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using store = await open({ path });
  const { token, text } = await store.tokens.create(newToken({ env: "dev", allowed_sites: ["acme"] }));
  assert.match(text, /^gate_dev_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(await store.tokens.find(text), token);
  assert.equal(await store.tokens.find(`${text}x`), null);
  assert.equal(await store.tokens.find("x".repeat(10_000)), null);
  const kv = await Deno.openKv(path);
  for await (const entry of kv.list({ prefix: [] })) {
    const shown = Deno.inspect([entry.key, entry.value], { depth: 9, strAbbreviateSize: 10_000 });
    assert.ok(!shown.includes(text.slice(10)));
  }
  kv.close();
});

Deno.test("a found token is answered at once the next time, and a revoke holds at once", async () => {
  await using store = await open();
  const { token, text } = await store.tokens.create(newToken());
  await store.tokens.find(text);
  assert.deepEqual(store.tokens.find(text), token);
  const revoked = await store.tokens.revoke(token.id);
  assert.notEqual(revoked?.revoked_at, null);
  assert.deepEqual(await store.tokens.find(text), revoked);
});

Deno.test("revoking twice keeps the first time, and revoking nothing answers null", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const { token } = await store.tokens.create(newToken());
  const first = await store.tokens.revoke(token.id);
  clock.ms += 5000;
  assert.deepEqual(await store.tokens.revoke(token.id), first);
  assert.equal(await store.tokens.revoke("none"), null);
});

Deno.test("tokens are listed oldest first", async () => {
  await using store = await open();
  for (const name of ["a", "b", "c"]) await store.tokens.create(newToken({ name }));
  assert.deepEqual((await store.tokens.list()).map((token) => token.name), ["a", "b", "c"]);
});

Deno.test("of concurrent creates of one id exactly one wins", async () => {
  await using store = await open();
  const sites = await Promise.all(
    ["A", "B", "C", "D"].map((name) => store.sites.create({ id: "acme", name, platform: "cms" })),
  );
  const winners = sites.filter((site) => site !== null);
  assert.equal(winners.length, 1);
  assert.deepEqual(await store.sites.get("acme"), winners[0]);
  const projects = await Promise.all([1, 2, 3].map(() => store.projects.create({ id: "p", name: "P" })));
  assert.equal(projects.filter((project) => project !== null).length, 1);
  const user = { email: "A@b.example", role: "member", allowed_sites: [], max_risk: 1 } as const;
  const users = await Promise.all(
    [user, { ...user, email: "a@B.example" }].map((input) => store.users.create(input)),
  );
  assert.equal(users.filter((made) => made !== null).length, 1);
});

Deno.test("of concurrent updates of one site none is lost", async () => {
  await using store = await open();
  await store.sites.create({ id: "acme", name: "Acme", platform: "static" });
  await Promise.all([
    store.sites.update("acme", { flags: { allow_publish: true } }),
    store.sites.update("acme", { repo: "acme/site" }),
    store.sites.update("acme", { flags: { allow_crm_write: true } }),
    store.sites.update("acme", { seo: { enabled: true } }),
  ]);
  const site = await store.sites.get("acme");
  assert.equal(site?.flags.allow_publish, true);
  assert.equal(site?.flags.allow_crm_write, true);
  assert.equal(site?.flags.allow_storage_write, false);
  assert.equal(site?.repo, "acme/site");
  assert.deepEqual(site?.seo, { enabled: true, channel: "rest" });
});

Deno.test("an update changes what it names, clears what is null and leaves the rest", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const made = await store.sites.create({
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://acme.example/",
    project_id: "p",
    repo: "acme/site",
  });
  assert.equal(made?.base_url, "https://acme.example");
  clock.ms += 1000;
  const site = (await store.sites.update("acme", { name: "New", repo: null }))?.site;
  assert.deepEqual(site, { ...made, name: "New", repo: null, updated_at: new Date(clock.ms).toISOString() });
  assert.deepEqual(await store.sites.get("acme"), site);
  assert.equal(await store.sites.update("none", {}), null);
});

Deno.test("sites are listed by id, answered at once the second time, and nobody can change what is cached", async () => {
  await using store = await open();
  for (const id of ["b", "a"]) await store.sites.create({ id, name: id, platform: "crm" });
  assert.deepEqual((await store.sites.list()).map((site) => site.id), ["a", "b"]);
  const list = store.sites.list();
  assert.ok(!(list instanceof Promise));
  assert.ok(Object.isFrozen(list) && Object.isFrozen(list[0]?.flags));
  await store.sites.create({ id: "c", name: "c", platform: "crm" });
  assert.equal((await store.sites.list()).length, 3);
});

Deno.test("credentials come out only through secret, and their version grows", async () => {
  await using store = await open();
  const cms = { username: "editor", application_password: "pass word" };
  const site = await store.sites.create({ id: "acme", name: "Acme", platform: "cms", credentials: { cms } });
  assert.deepEqual(site?.credentials, ["cms"]);
  assert.equal(site?.credentials_version, 1);
  assert.ok(!JSON.stringify(site).includes("pass word"));
  assert.deepEqual(await store.sites.secret("acme", "cms"), cms);
  assert.equal(await store.sites.secret("acme", "crm"), null);
  const second = await store.sites.update("acme", {
    credentials: { cms: null, behavior: { export_token: "t" } },
  });
  assert.deepEqual([second?.site.credentials, second?.site.credentials_version], [["behavior"], 2]);
  assert.equal(await store.sites.secret("acme", "cms"), null);
});

Deno.test("credentials of a site's address go when it gets another origin, and no others", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const cms = { username: "editor", application_password: "pass word" };
  const crm = { integration_token: "pit" };
  await store.sites.create({
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://old.example/blog",
    credentials: { cms, crm },
  });
  const move = async (base_url: string | null, credentials: object = {}) => {
    const updated = await store.sites.update("acme", { base_url, credentials });
    assert.ok(updated);
    return [updated.dropped, updated.site.credentials, updated.site.credentials_version];
  };
  const both = ["crm", "cms"];
  assert.deepEqual(await move("https://old.example/other"), [[], both, 1]);
  assert.deepEqual(await move("https://old.example:443"), [[], both, 1]);
  for (
    const base_url of ["http://old.example", "https://old.example:8443", "https://www.old.example", null]
  ) {
    const [dropped, left] = await move(base_url);
    assert.deepEqual([dropped, left], [["cms"], ["crm"]]);
    assert.equal(await store.sites.secret("acme", "cms"), null);
    assert.deepEqual(await store.sites.secret("acme", "crm"), crm);
    await store.sites.update("acme", { base_url: "https://old.example", credentials: { cms } });
  }
  const other = { ...cms, application_password: "another" };
  const [none, kept] = await move("https://new.example", { cms: other });
  assert.deepEqual([none, kept], [[], both]);
  assert.deepEqual(await store.sites.secret("acme", "cms", "https://new.example"), other);
  assert.deepEqual((await move("https://third.example", { cms: null })).slice(0, 2), [[], ["crm"]]);
});

Deno.test("a new first key seals while an old one still opens, and a missing one is named", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  const next = new Uint8Array(32).fill(9);
  const cms = { username: "u", application_password: "p" };
  const old = await open({ path, keys: [KEY] });
  await old.sites.create({ id: "one", name: "One", platform: "cms", credentials: { cms } });
  await old.close();
  const both = await open({ path, keys: [next, KEY] });
  await both.sites.create({ id: "two", name: "Two", platform: "cms", credentials: { cms } });
  assert.deepEqual(await both.sites.secret("one", "cms"), cms);
  await both.close();
  await proveAnew(path, [next]);
  await using after = await open({ path, keys: [next] });
  assert.deepEqual(await after.sites.secret("two", "cms"), cms);
  await assert.rejects(after.sites.secret("one", "cms"), {
    code: "E_MISSING_SECRET",
    message:
      /^Secret "credentials\/one\/cms" was sealed with key "[0-9a-f]{12}", which ENCRYPTION_KEYS lacks/,
  });
});

Deno.test("what is sealed is AES-256-GCM with the tag behind the text, bound to its record", async () => {
  const record = ["credentials", "acme", "cms"];
  const key = await crypto.subtle.importKey("raw", KEY, "AES-GCM", false, ["encrypt", "decrypt"]);
  const sealer = await Sealer.open([KEY]);
  const { key: id, iv, data } = await sealer.seal("pässword", record);
  const additionalData = new TextEncoder().encode(JSON.stringify(record));
  const how = { name: "AES-GCM", iv: new Uint8Array(iv), additionalData };
  const opened = await crypto.subtle.decrypt(how, key, new Uint8Array(data));
  assert.equal(new TextDecoder().decode(opened), "pässword");
  const again = new Uint8Array(await crypto.subtle.encrypt(how, key, opened));
  assert.equal(await sealer.unseal({ key: id, iv, data: again }, record), "pässword");
  for (
    const damaged of [again.slice(0, 8), again.slice(1), again.with(-1, again.at(-1)! ^ 1), new Uint8Array()]
  ) {
    await assert.rejects(sealer.unseal({ key: id, iv, data: damaged }, record), /was damaged in the store/);
  }
});

Deno.test("a sealed secret opens only in its own record", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using store = await open({ path });
  const crm = { integration_token: "secret" };
  await store.sites.create({ id: "one", name: "One", platform: "crm", credentials: { crm } });
  await store.sites.create({ id: "two", name: "Two", platform: "crm" });
  const kv = await Deno.openKv(path);
  await kv.set(["credentials", "two", "crm"], (await kv.get(["credentials", "one", "crm"])).value);
  kv.close();
  await proveAnew(path);
  assert.deepEqual(await store.sites.secret("one", "crm"), crm);
  await assert.rejects(store.sites.secret("two", "crm"), {
    code: "E_INTERNAL",
    message: /was damaged in the store/,
  });
});

Deno.test("what KV would not take is refused naming the field", async () => {
  await using store = await open();
  const large = "x".repeat(70_000);
  const bad = (field: string) => ({ code: "E_BAD_INPUT", message: new RegExp(`^${field}: `) });
  await assert.rejects(store.tokens.create(newToken({ allowed_tools: [large] })), bad("allowed_tools"));
  await assert.rejects(store.projects.create({ id: "p", name: large }), bad("name"));
  await assert.rejects(store.projects.create({ id: large, name: "P" }), bad("id"));
  await assert.rejects(store.projects.create({ id: "", name: "P" }), bad("id"));
  await store.sites.create({ id: "acme", name: "Acme", platform: "cms" });
  await assert.rejects(store.sites.update("acme", { site_alias: large }), bad("site_alias"));
  const crm = { integration_token: large };
  await assert.rejects(store.sites.update("acme", { credentials: { crm } }), bad("credentials.crm"));
});

Deno.test("a user keeps one e-mail of their own", async () => {
  await using store = await open();
  const user = { role: "member", allowed_sites: ["*"], max_risk: 2 } as const;
  const ann = await store.users.create({ ...user, email: "ann@x.example" });
  const bob = await store.users.create({ ...user, email: "bob@x.example" });
  assert.ok(ann && bob);
  await assert.rejects(store.users.update(bob.id, { email: "ANN@x.example" }), {
    code: "E_BAD_INPUT",
    message: /^email: "ANN@x.example" belongs to another user/,
  });
  const moved = await store.users.update(ann.id, { email: "anna@x.example", role: "admin" });
  assert.deepEqual(await store.users.get(ann.id), moved);
  assert.equal((await store.users.update(bob.id, { email: "ann@x.example" }))?.email, "ann@x.example");
  assert.deepEqual((await store.users.list()).map((each) => each.role), ["admin", "member"]);
  assert.equal(await store.users.update("none", {}), null);
});

Deno.test("a session ends by time and by hand", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const text = await store.sessions.create(60_000, "master");
  assert.equal(await store.sessions.valid(text, "master"), true);
  clock.ms += 59_999;
  assert.equal(await store.sessions.valid(text, "master"), true);
  clock.ms += 1;
  assert.equal(await store.sessions.valid(text, "master"), false);
  const other = await store.sessions.create(60_000, "master");
  await store.sessions.end(other, "master");
  assert.equal(await store.sessions.valid(other, "master"), false);
});

Deno.test("the first claim of a preview branch stands until it is forgotten", async () => {
  await using store = await open();
  const claims = await Promise.all(["a", "b"].map((branch) => store.previews.claim("t", "s", branch)));
  assert.equal(claims[0], claims[1]);
  assert.equal(await store.previews.get("t", "s"), claims[0]);
  assert.equal(await store.previews.get("t", "other"), null);
  assert.equal(await store.previews.forget("t", "s", "other"), null, "only the one that is meant");
  assert.equal(await store.previews.forget("t", "s"), claims[0]);
  assert.equal(await store.previews.forget("t", "s"), null);
  assert.equal(await store.previews.claim("t", "s", "c"), "c");
  assert.equal(await store.previews.forget("t", "s", "c"), "c");
});

Deno.test("a name of a preview branch is claimed for one token and site, who may claim it again", async () => {
  await using store = await open();
  const holders: [string, string][] = [["t", "s"], ["t", "other"], ["u", "s"]];
  const claims = await Promise.all(holders.map((holder) => store.previews.claim(...holder, "name")));
  assert.deepEqual(claims.toSorted(), ["name", null, null]);
  const holder = holders[claims.indexOf("name")]!;
  assert.equal(await store.previews.forget(...holder), "name");
  for (const one of holders) {
    assert.equal(await store.previews.claim(...one, "name"), one === holder ? "name" : null);
  }
});

Deno.test("one holder at a time has a lease, and one that ran out can be taken", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  let inner: boolean | undefined;
  let late: boolean | undefined;
  const held = await store.leases.hold("nightly", 1000, async () => {
    inner = await store.leases.hold("nightly", 1000, () => Promise.resolve());
    clock.ms += 1001;
    late = await store.leases.hold("nightly", 1000, () => Promise.resolve());
  });
  assert.deepEqual([held, inner, late], [true, false, true]);
  await assert.rejects(store.leases.hold("nightly", 1000, () => Promise.reject(new Error("boom"))), /boom/);
  assert.equal(await store.leases.hold("nightly", 1000, () => Promise.resolve()), true);
});

Deno.test("a lease taken under a clock far ahead does not outlive the clock's correction", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const years = 2 * 365 * 24 * 60 * 60 * 1000;
  clock.ms += years;
  await store.leases.hold("nightly", 1000, async () => {
    clock.ms -= 900;
    assert.equal(
      await store.leases.hold("nightly", 1000, () => Promise.resolve()),
      false,
      "clocks differ a little",
    );
    clock.ms -= years;
    assert.equal(await store.leases.hold("nightly", 1000, () => Promise.resolve()), true);
  });
});

Deno.test("work that is done is done where its lease cannot be given back, which then ends by itself", async () => {
  let fails = false;
  await using at = await bench((kv) =>
    interfere(kv, (real) => fails ? Promise.reject(new Error("disk I/O error")) : real())
  );
  const leases = new Leases(at.db);
  const breaking = (ending: () => Promise<void>) => () => (fails = true, ending());
  assert.equal(await leases.hold("page", 1000, breaking(() => Promise.resolve())), true);
  fails = false;
  assert.equal(await leases.hold("page", 1000, () => Promise.resolve()), false, "it still stands");
  at.clock.ms += 1000;
  await assert.rejects(leases.hold("page", 1000, breaking(() => Promise.reject(new Error("boom")))), /boom/);
  fails = false;
  at.clock.ms += 1000;
  assert.equal(await leases.hold("page", 1000, () => Promise.resolve()), true);
});
