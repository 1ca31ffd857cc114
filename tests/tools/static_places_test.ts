/** Pages and files that are published as they are, where one would take the place of the other. */
import { FILES, StaticWorld } from "./_static.ts";

Deno.test("write_static_file refuses a new file that would take a page's place, and changes one that has it", async () => {
  const files = { ...FILES, "src/pages/a/b.astro": "x", "public/notes.html": "old" };
  await using at = await StaticWorld.open({ files });
  const cases = [
    ["public/index.html", "src/pages/index.astro", "update_static_route"],
    ["public/hand/index.html", "src/pages/hand.astro", "update_static_route"],
    ["public/notes/index.html", "src/pages/notes.md", "save_md_to_repo"],
    ["public/Hand", "src/pages/hand.astro", "update_static_route"],
    ["public/a", "src/pages/a/b.astro", "update_static_route"],
  ] as const;
  for (const [path, page, way] of cases) {
    const says = new RegExp(`would take the place of the page "${page}", .* change that with ${way}$`);
    for (const confirm of [true, false]) {
      const args = { site_id: "open", path, content: "x", allow_overwrite: true, confirm };
      await at.refuses("write_static_file", args, "E_BAD_PATH", says, "reads");
    }
  }
  for (const path of ["public/notes.html", "public/a/other.html", "public/a/c", "public/index.css"]) {
    const args = { site_id: "open", path, content: "new", allow_overwrite: true };
    await at.write("rest", "write_static_file", args);
  }
});

Deno.test("a page is not made where a file that is published as it is has its place or that of its folder", async () => {
  await using at = await StaticWorld.open({ files: { "public/plain": "x", "public/deep/file": "x" } });
  for (const [route, file] of [["plain", "plain"], ["plain/a", "plain"], ["deep/file/b/c", "deep/file"]]) {
    const says = new RegExp(
      `cannot be built while there is the file "public/${file}"; choose another route$`,
    );
    const args = { site_id: "open", route, html: "x" };
    await at.refuses("create_static_route", args, "E_ROUTE_EXISTS", says, "reads");
  }
  await at.write("rest", "create_static_route", { site_id: "open", route: "deep", html: "x" });
});
