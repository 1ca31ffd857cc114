/** What is read of a client's metadata document while several ask for it. */
import assert from "node:assert/strict";
import { ClientDocuments } from "../../../guard/oauth/client_documents.ts";
import type { Http } from "../../../platforms/http.ts";
import type { Incoming } from "../../../platforms/request.ts";
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
  const documents = new ClientDocuments({ http: http as Http, now: () => NOW });
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
