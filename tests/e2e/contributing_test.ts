/** docs/CONTRIBUTING.md and docs/NEW_UPSTREAM.md do what they say, up to a green check, and so does `deno task new`. */
import assert from "node:assert/strict";
import { scaffold } from "../../registry/new.ts";
import { tryNewUpstream, unchangedByHand } from "./new_upstream.ts";
import { pageSteps, Project, type Step, stepsOf } from "./page.ts";

Deno.test("a page's blocks are commands, what they print, and files that the text before them names", () => {
  const page =
    "1. Do it.\n\n   ```sh\n   deno task gen\n   ```\n\n   ```text\n   said\n   ```\n\n   Now `a/b.ts`:\n\n   ```ts\n" +
    "   const a = {\n     b: 1,\n   };\n   ```\n\n```console\ndeno task admin health\n```\n";
  assert.deepEqual(stepsOf(page), [
    { kind: "run", command: "deno task gen" },
    { kind: "printed", lines: ["said"] },
    { kind: "file", path: "a/b.ts", text: "const a = {\n  b: 1,\n};\n" },
    { kind: "operator", command: "deno task admin health" },
  ]);
  assert.throws(() => stepsOf("Such as:\n\n```ts\nlost();\n```\n"), /no path ends the line before/);
});

// Both pages in one copy: to check the types takes longest, and what is the same is checked once.
Deno.test("docs/CONTRIBUTING.md and docs/NEW_UPSTREAM.md in a copy of the project", async (t) => {
  await using project = await Project.make();
  await t.step("a page whose command fails or prints something else is not followed to its end", async () => {
    const name = { kind: "run", command: "deno task new Posts" } as const;
    await assert.rejects(project.follow([name]), /Name the tool as/);
    const lint = { kind: "run", command: "deno lint --quiet core/errors.ts" } as const;
    await assert.rejects(
      project.follow([lint, { kind: "printed", lines: ["wrote it"] }]),
      /wrote it\nnot in/,
    );
    assert.deepEqual(await project.changes(), {});
  });
  const tool = await pageSteps("docs/CONTRIBUTING.md");
  const upstream = await pageSteps("docs/NEW_UPSTREAM.md");
  await t.step("a tool in ten minutes: every command and file of the page, as printed", async () => {
    assert.equal(commandsOf(tool)[0], "deno task new posts/count_drafts");
    await project.follow(tool.slice(0, checkOf(tool)));
    assert.deepEqual(await project.changes(), {
      "docs/TOOLS.md": " M",
      "manifests/posts/count_drafts.yaml": "??",
      "registry/documents.gen.json": " M",
      "registry/shapes.gen.ts": " M",
      "tests/tools/posts/count_drafts_test.ts": "??",
      "tools/posts/count_drafts.ts": "??",
    });
  });
  let tests: string[] = [];
  await t.step("deno task new and deno task gen write beside it what they say", async () => {
    tests = await scaffolded(project);
  });
  await t.step("a new upstream in an hour: every command and file, and nothing else by hand", async () => {
    const before = await project.changes();
    assert.equal(commandsOf(upstream)[0], "deno task new platforms/newsletter");
    await project.follow(upstream.slice(0, checkOf(upstream)));
    await unchangedByHand(project, before);
  });
  for (
    const [page, steps, command] of [
      ["CONTRIBUTING.md", tool, /^deno task ok tests\/house_test\.ts .*count_drafts_test\.ts$/],
      ["NEW_UPSTREAM.md", upstream, /^deno task ok tests\/house_test\.ts tests\/tools\/newsletter$/],
    ] as const
  ) {
    await t.step(`the last command of ${page} checks all of that, and is green`, async () => {
      assert.match(commandsOf(steps).at(-1)!, command);
      const before = await project.changes();
      await project.follow(steps.slice(checkOf(steps)));
      assert.deepEqual(await project.changes(), before);
    });
  }
  await t.step("what deno task new writes passes its own tests, and is not overwritten", async () => {
    const ran = await project.deno(["test", "-A", "--no-check", "--frozen", ...tests]);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    for (const name of Object.keys(BEGUN)) {
      const again = await project.deno(["task", "new", name]);
      assert.equal(again.code, 1);
      assert.match(again.stdout, /nothing was overwritten/);
    }
  });
  await tryNewUpstream(t, project, upstream);
});

const commandsOf = (steps: readonly Step[]) =>
  steps.flatMap((step) => step.kind === "run" ? [step.command] : []);
/** Where the page's last command is, `deno task ok`. */
const checkOf = (steps: readonly Step[]) => steps.findLastIndex(({ kind }) => kind === "run");

/** A tool, and a connector whose name is a common word: how many files each is. */
const BEGUN = { "posts/foo": 3, "platforms/segment": 6 } as const;
/** Others of such names, and one of two words. */
const BESIDE = ["front", "buffer", "close", "box", "square", "my_letters"];

/**
 * Begins those in the project, where the page's last command checks the format, lint and types of whatever was changed:
 * to check the types takes longest, so it is done once for the page and for them. Answers their tests.
 */
async function scaffolded(project: Project): Promise<string[]> {
  const paths: string[] = [];
  for (const [name, count] of Object.entries(BEGUN)) {
    const made = await project.deno(["task", "new", name]);
    assert.equal(made.code, 0, made.stderr);
    const written = Object.keys(scaffold(name));
    assert.deepEqual(made.stdout.match(/(?<=^wrote ).*$/gm), written);
    assert.equal(written.length, count);
    paths.push(...written);
  }
  for (const other of BESIDE) {
    const made = await project.deno(["task", "new", `platforms/${other}`]);
    assert.equal(made.code, 0, made.stderr);
  }
  const generated = await project.deno(["task", "gen"]);
  assert.equal(generated.code, 0, generated.stderr);
  const shapes = await project.read("registry/shapes.gen.ts");
  for (const tool of [/"?foo"?: \{/, /"?get_segment"?: \{/]) assert.match(shapes, tool);
  const changes = Object.keys(await project.changes());
  for (const path of [...paths, "core/model.gen.ts", "core/errors.gen.ts"]) {
    assert.ok(changes.includes(path), `${path} is among what the command checks`);
  }
  return paths.filter((path) => path.endsWith("_test.ts"));
}
