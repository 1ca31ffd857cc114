/** What a player has in place of a client: it prints what a model would be shown, and notes each request (README.md). */
import { Agent, count, judged, type Player } from "./client.ts";
import { type Called, jobs, MODES, type Note, note } from "./notes.ts";

const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
const complain = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));

/** The address of a mode, as a person would have set it up. */
const addressOf = ({ url }: Player, mode: string, site: string) =>
  `${url}/mcp${mode === "site" ? `/${site}` : mode === "search" ? "?mode=search" : ""}`;

const USAGE = `agent <job> <${MODES.join("|")}> task | list | call <tool> '<json>' | done '<answer>'`;

/** What was given, or what comes on the standard input in place of `-`. */
const given = async (text: string | undefined) =>
  text === "-" ? (await new Response(Deno.stdin.readable).text()).trim() : text;

/** Arguments as JSON. Where they are none it ends with the reason, and nothing is noted: a client would not have sent them. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    say(`Not JSON, nothing was sent: ${(thrown as Error).message}`);
    Deno.exit(2);
  }
}

async function main([folder, id, mode, what, ...rest]: string[]): Promise<void> {
  const job = (await jobs()).find((one) => one.id === id);
  if (job === undefined || !MODES.includes(mode as never)) throw new Error(USAGE);
  const player = JSON.parse(await Deno.readTextFile(`${folder}/player.json`)) as Player;
  const agent = new Agent(player, addressOf(player, mode!, job.site));
  const keep = (row: Partial<Note>) =>
    note(folder!, { at: new Date().toISOString(), job: job.id, mode: mode!, ...row } as Note);
  if (what === "task") return say(job.ask);
  if (what === "list") {
    const text = await agent.list();
    await keep({ kind: "list", out: count(text) });
    return say(text);
  }
  if (what === "call" && rest[0] !== undefined) {
    const args = parsed(await given(rest[1]) ?? "{}");
    const { text, tokens, error } = await agent.call(rest[0], args);
    const row: Called = {
      kind: "call",
      tool: rest[0],
      arguments: args,
      in: count(JSON.stringify(args)),
      out: tokens,
      error,
    };
    await keep(row);
    return say(text);
  }
  if (what === "done") {
    const answer = await given(rest[0]) ?? "";
    await keep({ kind: "done", answer, ...await judged(player, job.id, answer) });
    return say("Noted.");
  }
  throw new Error(USAGE);
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    complain((error as Error).message);
    Deno.exit(2);
  }
}
