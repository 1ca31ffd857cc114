/** What find_text costs over 5,000 posts of a real WordPress, on SQLite and on MariaDB, with the companion plugin and without it. */
import { type CmsSandbox, startCms } from "../sandbox/wordpress/start.ts";
import { Mariadb, mariadbMissing, newDatabase } from "../tests/companion/mariadb.ts";
import { fixture, PLUGIN } from "../tests/companion/site.ts";
import { Asker } from "../tests/sandbox/asker.ts";
import { type Gateway, inFolder, startOver } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const ROUNDS = 7;
const POSTS = 5000;
const BUILT = 1000;
const PER_INSERT = 50;
const SITE = "acme";
const AIM = "under 3 s";

const PARAGRAPH =
  "<!-- wp:paragraph -->\n<p>Lorem ipsum dolor sit amet, consectetur 12 adipiscing 2024 elit, sed 3 do " +
  "eiusmod tempor 4567 incididunt ut labore 89 et dolore magna aliqua.</p>\n<!-- /wp:paragraph -->\n";
const TEXT = PARAGRAPH.repeat(30);
const COLUMNS =
  "post_type,post_status,post_title,post_content,post_excerpt,to_ping,pinged,post_content_filtered,post_name";

/** The searches, and in how many of the posts each stands. */
const SEARCHES = [
  { name: "a phone number in 50 of them", args: { text: "+49 30 1234567", kind: "phone" }, total: 50 },
  { name: "a word in 2,500", args: { text: "everyother" }, total: POSTS / 2 },
  { name: "a word of the visual builder's data in 1,000", args: { text: "Heizöl" }, total: BUILT },
  { name: "a text in none, all of which have to be read", args: { text: "Щука" }, total: 0 },
] as const;

/** 5,000 posts of 6 KB, of which 1,000 have data of the visual builder, too. */
async function fill(site: CmsSandbox): Promise<void> {
  const asker = new Asker(site);
  const query = async (sql: string) => {
    const { status } = await asker.send("admin", "POST", "/wp-json/peek/v1/ask", { db: ["query", sql] });
    if (status !== 200) throw new Error(`The posts could not be made: ${status}`);
  };
  for (let from = 0; from < POSTS; from += PER_INSERT) {
    const rows = Array.from({ length: PER_INSERT }, (_, at) => {
      const n = from + at;
      const more = `${n % 100 === 0 ? "<p>Call 030/123 45 67</p>" : ""}${
        n % 2 === 0 ? "<p>everyother</p>" : ""
      }`;
      return `('post','${
        n % 5 === 0 ? "draft" : "publish"
      }','Post ${n}','${TEXT}${more}','','','','','post-${n}')`;
    });
    await query(`INSERT INTO wp_posts (${COLUMNS}) VALUES ${rows.join(",")}`);
  }
  const widget = (title: string) => ({
    id: "a1b2c3d",
    elType: "widget",
    widgetType: "heading",
    settings: { title },
  });
  const filler = Array.from(
    { length: 30 },
    () => widget("Lorem ipsum dolor sit amet, consectetur adipiscing elit"),
  );
  // As the builder writes it: letters beyond ASCII as their codes.
  const data = JSON.stringify([...filler, widget("Heizöl")]).replaceAll("ö", "\\u00f6").replaceAll(
    "\\",
    "\\\\",
  );
  await query(
    `INSERT INTO wp_postmeta (post_id,meta_key,meta_value) SELECT ID,'_elementor_data','${data}' FROM wp_posts ` +
      `WHERE post_name LIKE 'post-%' ORDER BY ID LIMIT ${BUILT}`,
  );
}

async function measured(gateway: Gateway, on: string): Promise<Line[]> {
  const rows: Line[] = [];
  for (const { name, args, total } of SEARCHES) {
    const call = async () => {
      const found = await gateway.call("find_text", { site_id: SITE, ...args }) as { total: number };
      if (found.total !== total) throw new Error(`${name}: ${found.total} were found`);
    };
    await call();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await timed(call));
    rows.push({
      name: `5,000 posts, ${on}: ${name}`,
      figure: ms(median(times)),
      beside: `its worst of ${ROUNDS}: ${ms(Math.max(...times))}`,
      aim: AIM,
    });
  }
  return rows;
}

async function withoutPlugin(gateway: Gateway, on: string): Promise<Line> {
  const times: number[] = [];
  const call = () => gateway.call("find_text", { site_id: SITE, ...SEARCHES[1].args });
  await call();
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(call));
  return {
    name: `5,000 posts, ${on}, without the plugin: a word in 2,500, of which 500 are read`,
    figure: ms(median(times)),
    beside: `its worst of ${ROUNDS}: ${ms(Math.max(...times))}`,
    aim: "",
  };
}

/** The rows of one database. */
async function rowsOn(on: string, database?: Awaited<ReturnType<typeof newDatabase>>): Promise<Line[]> {
  const plugins = [PLUGIN, fixture("peek")];
  await using cms = await startCms({ kind: "wordpress", plugins, ...database && { database } });
  await fill(cms);
  return await inFolder(async (folder) => {
    await using gateway = await startOver(folder, cms, { id: SITE });
    const rows = await measured(gateway, on);
    const asker = new Asker(cms);
    await asker.send("admin", "POST", "/wp-json/peek/v1/ask", {
      options: { active_plugins: ["peek/peek.php"] },
    });
    return [...rows, await withoutPlugin(gateway, on)];
  });
}

/** The rows; without PHP, WordPress or MariaDB, which this needs, one with the reason. */
export async function findTextRows(): Promise<Line[]> {
  const missing = (on: string, why: string): Line => ({
    name: `5,000 posts, ${on}`,
    figure: "not measured",
    beside: why,
    aim: AIM,
  });
  const rows: Line[] = [];
  try {
    rows.push(...await rowsOn("SQLite"));
  } catch (thrown) {
    return [missing("SQLite", (thrown as Error).message)];
  }
  const why = await mariadbMissing();
  if (why !== null) return [...rows, missing("MariaDB", why)];
  await using server = await Mariadb.start();
  return [...rows, ...await rowsOn("MariaDB", await newDatabase(server.socket))];
}
