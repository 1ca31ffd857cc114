/** Judges the jobs on static sites by what is in their repositories. */
import type { Judge } from "./check.ts";
import { BROKEN, HEADING, STATIC } from "./sites.ts";
import type { World } from "./stand_ins.ts";

type Linked = (typeof STATIC)[keyof typeof STATIC];
type Files = Readonly<Record<string, string>>;

const deployed = ({ repo }: World, { repo: name }: Linked): Promise<Files> => repo.files(name, "main");

/** The branches beside the deployed one, with their files. */
async function others({ repo }: World, { repo: name }: Linked): Promise<[branch: string, files: Files][]> {
  const branches = Object.keys(await repo.refs(name)).map((ref) => ref.replace("refs/heads/", ""));
  const read = branches.filter((branch) => branch !== "main")
    .map(async (branch): Promise<[string, Files]> => [branch, await repo.files(name, branch)]);
  return await Promise.all(read);
}

/** The texts of the pages at a route, whatever form they have. */
const pagesAt = (files: Files, route: string): string[] =>
  Object.entries(files).filter(([path]) =>
    [`src/pages/${route}.`, `src/pages/${route}/index.`, `public/${route}/index.`, `public/${route}.`]
      .some((one) => path.startsWith(one))
  ).map(([, text]) => text);

const linksTo = (files: Files, route: string): boolean =>
  Object.values(files).some((text) => new RegExp(`["\\x27\`]/${route}/?\\\\?["\\x27\`]`).test(text));

const staticPage: Judge = async (world, check, answer) => {
  const holding = (await others(world, STATIC.garden)).filter(([, files]) =>
    pagesAt(files, "winter-service").some((text) => /Winter service/.test(text) && /six|6/.test(text))
  ).map(([branch]) => branch);
  check.that(holding.length > 0, "no branch has the page");
  const main = await deployed(world, STATIC.garden);
  check.that(!Object.keys(main).some((path) => path.includes("winter-service")), "the page is on main");
  const named = world.hosting.deployments(STATIC.garden.hosting_project)
    .filter(({ branch }) => holding.includes(branch))
    .flatMap(({ id, branch }) => [id.slice(0, 8), branch.replaceAll("/", "-")]);
  check.that(
    named.some((one) => answer.includes(`https://${one}.`)),
    "the answer has no address of the preview",
  );
};

const cafeSite: Judge = async (world, check) => {
  const files = await deployed(world, STATIC.cafe);
  check.that(pagesAt(files, "index").some((text) => /harbour/i.test(text)), "no start page");
  check.that(
    pagesAt(files, "menu").some((text) => text.includes("2.80") && text.includes("4.20")),
    "no menu",
  );
  check.that(pagesAt(files, "contact").some((text) => text.includes("Hafenstrasse 3")), "no contact");
  for (const route of ["menu", "contact"]) check.that(linksTo(files, route), `nothing leads to /${route}`);
};

const cafeBlog: Judge = async (world, check) => {
  const files = await deployed(world, STATIC.cafe);
  const article = Object.entries(files).find(([path, text]) =>
    path.endsWith(".md") && text.includes("We are open")
  );
  check.that(article !== undefined, "no article in Markdown");
  check.that(pagesAt(files, "blog").length > 0, "no list of articles");
  const folder = article?.[0].replace(/\/[^/]*$/, "") ?? "";
  const isRead = Object.entries(files).some(([path, text]) =>
    path.startsWith("src/") && text.includes(folder)
  );
  check.that(folder !== "" && isRead, `nothing reads ${folder}`);
};

const liveAndBack: Judge = async (world, check) => {
  const start = pagesAt(await deployed(world, STATIC.garden), "index");
  check.that(start.some((text) => text.includes(HEADING)), "the old heading is not live");
  check.that(!start.some((text) => text.includes("Gardens for small places")), "the new heading is live");
  const once = await world.repo.git(
    STATIC.garden.repo,
    "log",
    "main",
    "-S",
    "Gardens for small places",
    "--format=%H",
  );
  check.that(once.trim().split("\n").filter(Boolean).length >= 2, "the new heading never was live");
};

/** Where the garden designer comes. */
export const PLACES = "Baden Bruck Enns Gmunden Graz Hallein Horn Imst Krems Lienz Linz Melk Retz Steyr Wels"
  .split(
    " ",
  );

const places: Judge = async (world, check) => {
  const found = (await others(world, STATIC.garden)).find(([, files]) =>
    pagesAt(files, "places/baden").length > 0
  );
  check.that(found !== undefined, "no branch has the pages");
  const [branch, files] = found ?? ["main", {}];
  for (const name of PLACES) {
    const has = pagesAt(files, `places/${name.toLowerCase()}`).some((text) =>
      text.includes(`Garden design in ${name}`)
    );
    check.that(has, `no page of ${name}`);
  }
  const size = await world.repo.git(STATIC.garden.repo, "cat-file", "-s", `${branch}:public/logo.png`).catch(
    () => "none",
  );
  check.that(size.trim() === "70", `the logo has ${size.trim()} bytes in place of 70`);
  const main = await deployed(world, STATIC.garden);
  check.that(
    !Object.keys(main).some((path) => path.includes("places/") || path.endsWith("logo.png")),
    "it is on main",
  );
};

const failedDeploy: Judge = (_world, check, answer) => {
  check.that(answer.includes(BROKEN.path) || answer.includes("workshop.astro"), "the file is not named");
  check.that(/fragment/i.test(answer), "what the build said is not named");
  return Promise.resolve();
};

/** By the ids of their jobs. */
export const STATIC_JUDGES: Readonly<Record<string, Judge>> = {
  static_page: staticPage,
  cafe_site: cafeSite,
  cafe_blog: cafeBlog,
  live_and_back: liveAndBack,
  places,
  failed_deploy: failedDeploy,
};
