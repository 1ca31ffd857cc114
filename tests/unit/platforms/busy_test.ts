/** An upstream that refuses for now and says for how long: whoever asked is given that time, whichever upstream it is. */
import assert from "node:assert/strict";
import type { GatewayError } from "../../../core/errors.ts";
import { askedWait, whenAgain } from "../../../platforms/_http/answer.ts";
import { refused as ofClarity } from "../../../platforms/clarity/client.ts";
import { refusal as ofDuda } from "../../../platforms/duda/errors.ts";
import { refusal as ofGitHub } from "../../../platforms/github/errors.ts";
import { refusal as ofGoogle } from "../../../platforms/google/errors.ts";
import { refused as ofCrm } from "../../../platforms/highlevel/refusals.ts";
import { ROUTES } from "../../../platforms/highlevel/routes.ts";
import type { Incoming, Outgoing } from "../../../platforms/_http/request.ts";
import { refused as ofToolServer } from "../../../platforms/tool_servers/errors.ts";
import { refusal as ofTopicMap } from "../../../platforms/topic_map/errors.ts";
import { refusal as ofWordPress } from "../../../platforms/wordpress/errors.ts";

const READ: Outgoing = { method: "GET", url: "https://upstream.example/", effect: "read" };

function answer(status: number, headers: Record<string, string>): Incoming {
  const body = { code: "busy", message: "Slow down" };
  const text = JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    url: READ.url,
    headers: new Headers(headers),
    bytes,
    text: () => text,
    json: () => body,
  };
}

/** The same refusal as a page, such as of a site that is updated. */
function page(status: number, headers: Record<string, string>): Incoming {
  const text = "<html><title>Maintenance</title></html>";
  const bytes = new TextEncoder().encode(text);
  return { ...answer(status, headers), bytes, text: () => text, json: () => undefined };
}

const [route] = Object.values(ROUTES);
const REFUSALS: Readonly<Record<string, (answer: Incoming) => GatewayError>> = {
  WordPress: (one) => ofWordPress(READ, one),
  Duda: (one) => ofDuda(READ, one, []),
  HighLevel: (one) => ofCrm(one, route!, "token"),
  "a tool server": (one) => ofToolServer({ source: "cms", server: "main" } as never, READ, one),
  "topic planning": (one) => ofTopicMap(one, READ, []),
  Clarity: (one) => ofClarity(one, "token", "acme", 0),
};

Deno.test("every upstream's refusal carries the time it asks to wait, and says it where it says to try again", () => {
  for (const [name, refusal] of Object.entries(REFUSALS)) {
    const down = refusal(answer(503, { "retry-after": "600" }));
    assert.equal(down.retryAfter, 600, name);
    if (/try again/.test(down.message)) assert.match(down.message, /try again in 10 minutes/, name);
    const silent = refusal(answer(503, {}));
    assert.equal(silent.retryAfter, undefined, name);
    assert.doesNotMatch(silent.message, /minutes|NaN/, name);
    if (name === "Clarity") continue; // its 429 is about the day
    const often = refusal(answer(429, { "retry-after": "45" }));
    assert.equal(often.retryAfter, 45, name);
    if (/try again/.test(often.message)) assert.match(often.message, /try again in 45 s/, name);
  }
  assert.equal(REFUSALS["Clarity"]!(answer(429, { "retry-after": "45" })).retryAfter, 86_400);
});

Deno.test("where a page of the host, or of what stands before it, says how long to wait, whoever asked reads that too", () => {
  for (const [name, refusal] of Object.entries(REFUSALS)) {
    if (name === "Clarity") continue; // its 429 is about the day, and no page of a host's is known
    for (const [status, said] of [[503, "600"], [429, "600"]] as const) {
      const error = refusal(page(status, { "retry-after": said }));
      assert.equal(error.retryAfter, 600, `${name} ${status}`);
      assert.match(error.message, /try again in 10 minutes$/, `${name} ${status}`);
      assert.doesNotMatch(refusal(page(status, {})).message, /minutes|NaN/, `${name} ${status}`);
    }
  }
});

Deno.test("no upstream has a caller wait longer than a day, however long it asks for", () => {
  const now = Date.parse("2026-11-22T10:00:00Z");
  const ofRepo = (one: Incoming) => ofGitHub(null, { ...one, said: "Slow down", unknown: false }, [], now);
  const google = { service: { name: "Google Sheets" }, out: READ, secrets: [], now, user_id: "u" };
  const ofSheets = (one: Incoming) => ofGoogle(google.service as never, { ...google, answer: one });
  const all = { ...REFUSALS, GitHub: ofRepo, Google: ofSheets };
  for (const [name, refusal] of Object.entries(all)) {
    for (const asked of ["999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
      const date = new Date(now).toUTCString();
      const error = refusal(answer(429, { "retry-after": asked, date }));
      const isDate = asked.endsWith("GMT") && name === "GitHub"; // which answers seconds alone
      if (!isDate) assert.equal(error.retryAfter, 86_400, `${name} ${asked}`);
      assert.doesNotMatch(error.message, /\d{6} minutes|\d{6} s|\d{4} hours/, name);
    }
  }
  assert.equal(whenAgain(answer(503, { "retry-after": "999999999" }), "later"), "in a day or later");
});

Deno.test("a date is read by the clock of whoever answered; what says nothing of now, and what cannot be read, is passed over", () => {
  const at = "Sun, 22 Nov 2026 10:10:00 GMT";
  const dated = { "retry-after": at, date: "Sun, 22 Nov 2026 10:08:00 GMT" };
  assert.deepEqual(askedWait(answer(503, dated)), { retryAfter: 120 });
  assert.equal(whenAgain(answer(503, dated), "later"), "in 2 minutes");
  for (
    const [status, headers] of [
      [503, { "retry-after": at }],
      [503, { "retry-after": "soon" }],
      [503, { "retry-after": "0" }],
      [429, { ...dated, date: "Sun, 22 Nov 2026 11:00:00 GMT" }],
      [500, { "retry-after": "600" }],
      [200, { "retry-after": "600" }],
    ] as const
  ) {
    assert.deepEqual(askedWait(answer(status, headers)), {}, JSON.stringify([status, headers]));
    assert.equal(whenAgain(answer(status, headers), "later"), "later");
  }
});
