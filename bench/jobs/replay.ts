/** Makes the calls of an earlier run again, `replay.ts <folder> <run…>`: what the answers cost now, in a fresh world (README.md). */
import { Agent, count, type Player } from "./client.ts";
import { jobs, type Note, note, notes } from "./notes.ts";

const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** What is new in each run, and the key of an answer that has it: a later call names the one of its own world. */
const NEW = ["confirm_token", "commit_sha", "content_job_id", "request_id"] as const;

/** The calls of one job, in their order, with what this world has answered in place of what that one had. */
async function replayed(folder: string, player: Player, site: string, rows: readonly Note[]): Promise<void> {
  const agent = new Agent(player, `${player.url}/mcp/${site}`);
  const known: Record<string, unknown> = {};
  for (const row of rows) {
    if (row.kind !== "call") continue;
    const args = { ...row.arguments as Record<string, unknown> };
    for (const key of NEW) if (key in args && key in known) args[key] = known[key];
    const { text, tokens, error } = await agent.call(row.tool, args);
    try {
      const answer = JSON.parse(text);
      for (const key of NEW) {
        const found = answer[key] ?? answer.changes?.[0]?.[key]; // of list_changes the newest
        if (found !== undefined) known[key] = found;
      }
    } catch {
      // A text, or a failure: nothing of it is named later.
    }
    const { job, mode, tool } = row;
    await note(folder, {
      at: new Date().toISOString(),
      job,
      mode,
      kind: "call",
      tool,
      arguments: args,
      in: count(JSON.stringify(args)),
      out: tokens,
      error,
    });
    await Deno.writeTextFile(`${folder}/answers.txt`, `# ${job} ${tool} ${tokens}\n${text}\n\n`, {
      append: true,
    });
    say(`${job}\t${tool}\t${row.out}\t${tokens}${error === row.error ? "" : `\t${error}`}`);
  }
}

if (import.meta.main) {
  const [folder, ...runs] = Deno.args;
  if (folder === undefined || runs.length === 0) throw new Error("Name a world's folder, and runs");
  const player = JSON.parse(await Deno.readTextFile(`${folder}/player.json`)) as Player;
  const all = await jobs();
  for (const run of runs) {
    const rows = await notes(run);
    const site = all.find(({ id }) => id === rows[0]?.job)?.site;
    if (site === undefined) throw new Error(`${run} holds no job`);
    await replayed(folder, player, site, rows);
  }
}
