/** A JSON body that holds a file is written as JSON.stringify writes it. */
import assert from "node:assert/strict";
import { InBase64, jsonBody } from "../../../platforms/_http/json_body.ts";

const file = (size: number) => Uint8Array.from({ length: size }, (_, at) => at * 7 + (at >> 8));

Deno.test("a file is written in base64 at its place, of whatever length", () => {
  for (const size of [0, 1, 2, 3, 4, 5, 255, 100_000, 100_001]) {
    const bytes = file(size);
    for (
      const json of [
        { content: new InBase64(bytes), encoding: "base64" },
        { message: 'é "quoted"', left_out: undefined, content: new InBase64(bytes) },
        { a: [1, { b: null }], one: new InBase64(bytes), two: new InBase64(bytes), end: "x" },
      ]
    ) {
      const body = jsonBody(json);
      assert.ok(typeof body === "object");
      assert.equal(new TextDecoder().decode(body), JSON.stringify(json));
    }
  }
});

Deno.test("what holds no file is text", () => {
  for (const json of [{ a: 1 }, [1, "b"], "c", null, 4]) assert.equal(jsonBody(json), JSON.stringify(json));
});
