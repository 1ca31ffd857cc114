/** docs/CONTRIBUTING.md does what it says, from the first command to a green check. */
import assert from "node:assert/strict";
import { pageSteps, Project, stepsOf } from "./page.ts";

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

Deno.test("docs/CONTRIBUTING.md in a copy of the project", async (t) => {
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
  await t.step(
    "a tool in ten minutes: every command and file of the page, as printed, ends in a green ok",
    () => inTenMinutes(project),
  );
});

async function inTenMinutes(project: Project): Promise<void> {
  const steps = await pageSteps("docs/CONTRIBUTING.md");
  const commands = steps.flatMap((step) => step.kind === "run" ? [step.command] : []);
  assert.equal(commands[0], "deno task new posts/count_drafts");
  assert.match(commands.at(-1)!, /^deno task ok tests\/house_test\.ts .*count_drafts_test\.ts$/);
  await project.follow(steps);
  assert.deepEqual(await project.changes(), {
    "docs/TOOLS.md": " M",
    "manifests/posts/count_drafts.yaml": "??",
    "registry/documents.gen.json": " M",
    "registry/shapes.gen.ts": " M",
    "tests/tools/posts/count_drafts_test.ts": "??",
    "tools/posts/count_drafts.ts": "??",
  });
}
