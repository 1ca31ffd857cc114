/** What is read of a client's metadata document while several ask for it. */
import assert from "node:assert/strict";
import { ClientDocuments } from "../../../identity/oauth/client_documents.ts";
import type { Http } from "../../../platforms/_http/http.ts";
import type { Incoming } from "../../../platforms/_http/request.ts";
import { Attempts } from "../../../store/attempts.ts";
import { Database } from "../../../store/database.ts";
import { NOW } from "../../kit.ts";

const ID = "https://client.example/oauth/client.json";
const DOCUMENT = { client_id: ID, client_name: "Assistant", redirect_uris: ["https://client.example/back"] };

function incoming(status: number): Incoming {
  const text = JSON.stringify(DOCUMENT);
  return {
    status,
    url: ID,
    headers: new Headers({ "content-type": "application/json" }),
    bytes: new TextEncoder().encode(text),
    text: () => text,
    json: () => DOCUMENT,
  };
}

Deno.test("a document that several ask for at once is read once, and a failure is answered to all of them and not kept", async () => {
  let [sent, status] = [0, 503];
  const http: Pick<Http, "send"> = {
    send() {
      sent++;
      return Promise.resolve(incoming(status));
    },
  };
  const documents = new ClientDocuments({
    http: http as Http,
    store: {
      attempts: {
        take: () => Promise.resolve(0),
        forget: () => Promise.resolve(),
        giveBack: () => Promise.resolve(),
      },
    },
    now: () => NOW,
  });
  const all = () =>
    Promise.allSettled(["ann", "bob", "cy", "di"].map((user) => documents.read(ID, user, true)));
  const failed = await all();
  assert.equal(sent, 1);
  for (const one of failed) assert.match(String(one.status === "rejected" && one.reason), /status 503/);
  status = 200;
  const read = await all();
  assert.equal(sent, 2);
  for (const one of read) assert.equal(one.status === "fulfilled" && one.value.name, "Assistant");
});

Deno.test("two instances read 20 documents for a person in a minute, all together", async () => {
  const db = new Database(await Deno.openKv(":memory:"), () => NOW, () => 0);
  let sent = 0;
  const http: Pick<Http, "send"> = {
    send() {
      sent++;
      return Promise.resolve(incoming(200));
    },
  };
  const instance = () =>
    new ClientDocuments({
      http: http as Http,
      store: { attempts: new Attempts(db) },
      now: () => NOW,
    });
  const both = [instance(), instance()];
  for (let count = 0; count < 20; count++) await both[count % 2]!.read(ID, "ann", true);
  for (const one of both) await assert.rejects(one.read(ID, "ann", true), /too many were in the last minute/);
  assert.equal(sent, 20);
  await both[0]!.read(ID, "bob", true);
  assert.equal(sent, 21, "another person has a count of their own");
  db.close();
});
