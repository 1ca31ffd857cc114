/** The file of a probe, and its row in the audit: nothing of the data, the account or the site stands in them. */
import assert from "node:assert/strict";
import { CASES } from "../probe_cases.ts";
import { Changed, probed, serviceOf, textsOf } from "../probe_kit.ts";

/** Plants a name and a value of a client into every object of an answer. */
function planted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(planted);
  if (typeof value !== "object" || value === null) return value;
  const own = Object.entries(value).map(([name, one]) => [name, planted(one)] as const);
  return {
    ...Object.fromEntries(own),
    "ann@leak.example": "treated at leak.example",
    "https://leak.example/x": 7,
  };
}

for (const one of CASES) {
  Deno.test(`${one.service}: nothing of the data, the account or the site stands in the file or the audit`, async () => {
    const way = new Changed();
    await using at = await one.open({ fetch: way.fetch });
    way.change(/\/(?!token$|access_tokens$)[^/]*$/, planted);
    const report = await probed(at.gw, one.site, one.costly);
    const text = JSON.stringify(report.file);
    assert.ok(
      serviceOf(report, one.service).reads.some(({ check }) => check !== null),
      "something was compared",
    );
    assert.ok(JSON.stringify(report.upstreams).includes("leak.example"), "the operator sees new names");
    const [row] = await at.gw.audit();
    assert.deepEqual([row!.tool, row!.site_id, row!.door], ["site.probe", one.site, "admin"]);
    for (const kept of [text, JSON.stringify(row!.arguments)]) {
      assert.ok(!kept.includes("leak"), kept);
      const values = new Set(way.answers.flatMap((answer) => textsOf(parsed(answer))));
      assert.deepEqual([...values].filter((value) => kept.includes(value) && !VOCABULARY.has(value)), []);
    }
    for (const { url } of at.gw.requests) assert.ok(!text.includes(new URL(url).hostname));
    assert.ok(!text.includes(`"${one.site}"`));
  });
}

/** Values of the stand-ins that are words of the file's own, or parts of such. */
const VOCABULARY: ReadonlySet<string> = new Set([
  ...[
    "answer",
    "calendar",
    "commit",
    "competitors",
    "completed",
    "content_brief",
    "deploy",
    "funnel",
    "invoice",
  ],
  ...["location", "media", "outer", "pages", "posts", "ranking"],
]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
