/** What holding a tool of a site costs: the same call plain, held and in a dry run, on SQLite and on MariaDB. */
import assert from "node:assert/strict";
import { type Engine, ENGINES, Held, ignored } from "../tests/companion/hold_kit.ts";
import type { Answer } from "../tests/companion/site.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const ROUNDS_MIN = 60;
const AIM = "at most 1.3x";
const NAMES: Readonly<Record<Engine, string>> = { sqlite: "SQLite", innodb: "MariaDB" };

/** How the tool is called, and how the answer must be marked. */
const WAYS: Readonly<
  Record<"plain" | "held" | "dry", (site: Held, id: number, text: string) => Promise<Answer>>
> = {
  plain: (site, id, text) => site.plain("build", { id, text }),
  held: (site, id, text) => site.hold("build", { id, text }, "draft", `; of=${id}`),
  dry: (site, id, text) => site.dry("build", { id, text }),
};
const MARKS = { plain: null, held: "committed", dry: "rolled_back" } as const;

type Way = keyof typeof WAYS;
type Times = Record<Way, number[]>;

/** The rows of both databases; of one that cannot run here a row "not measured". */
export async function holdRows(rounds: number): Promise<Line[]> {
  const rows: Line[] = [];
  for (const engine of ENGINES) {
    if (ignored(engine)) {
      rows.push({ name: `a held save, ${NAMES[engine]}`, figure: "not measured", beside: "", aim: AIM });
      continue;
    }
    await using site = await Held.start(engine);
    rows.push(...linesOf(engine, await measured(site, Math.max(rounds, ROUNDS_MIN))));
  }
  return rows;
}

/** Each way saves a page of its own that has a revision already; who begins changes from round to round. */
async function measured(site: Held, rounds: number): Promise<Times> {
  const times: Times = { plain: [], held: [], dry: [] };
  const ways = Object.keys(WAYS) as Way[];
  for (let round = 0; round <= rounds; round++) {
    const order = ways.map((_, at) => ways[(at + round) % ways.length]!);
    const ids = new Map<Way, number>();
    for (const way of order) {
      const id = await site.wp.draft("admin", { title: `Page ${round}` }, "pages");
      await site.plain("build", { id, text: "Before" });
      ids.set(way, id);
    }
    for (const way of order) {
      const took = await timed(async () => {
        const { status, headers } = await WAYS[way](site, ids.get(way)!, `After ${round}`);
        assert.equal(status, 200);
        assert.equal(/^\w+/.exec(headers.get("x-site-ops-held") ?? "")?.[0] ?? null, MARKS[way]);
      });
      if (round > 0) times[way].push(took);
    }
  }
  return times;
}

function linesOf(engine: Engine, { plain, held, dry }: Times): Line[] {
  const beside = `${ms(median(plain))} plain ${quartiles(plain)}; n ${plain.length}`;
  const row = (name: string, times: number[], aim: string): Line => ({
    name: `${name}, ${NAMES[engine]}`,
    figure: `${ms(median(times))} ${quartiles(times)}, ${(median(times) / median(plain)).toFixed(2)}x`,
    beside,
    aim,
  });
  return [row("a held save of a page", held, AIM), row("a dry run of it", dry, "")];
}

/** The quartiles below and above the median. */
function quartiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1);
  return `(${at(0.25)} to ${at(0.75)})`;
}
