/** A fresh world of all jobs: `world.ts <folder>` starts it on ports of its own; SIGTERM ends it (README.md). */
import { fileURLToPath } from "node:url";
import { readSettings } from "../../core/settings.ts";
import { serve } from "../../gateway/serve.ts";
import { type Gateway, openGateway, readRegistry } from "../../gateway/wire.ts";
import { WORKSPACE_ID } from "../../sandbox/topic_map/start.ts";
import { newSecrets } from "../gateway.ts";
import { freePort } from "../process.ts";
import { judge } from "./judge.ts";
import {
  ARTICLES,
  BROKEN,
  fillRoofer,
  HEADING,
  type Ready,
  registerClients,
  SITES,
  STATIC,
} from "./sites.ts";
import { startStandIns, type World } from "./stand_ins.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The highest tier a token of a player has: drafts, saving, publishing; nothing that deletes. */
const PLAYERS_RISK = 3;

const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function tokenOf({ store }: Gateway, name: string, max_risk: 3 | 4): Promise<string> {
  const rights = { env: "dev", allowed_sites: ["*"], allowed_tools: ["*"], owner_user_id: null } as const;
  return (await store.tokens.create({ ...rights, name, max_risk, skip_write_confirm: false })).text;
}

/** Calls over REST, with the preview's token where the tool asks for one. */
function readied(gateway: Gateway, token: string): Ready {
  return async (tool, args) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const url = `http://127.0.0.1/api/v1/tools/${tool}`;
    const body = JSON.stringify({ ...args, confirm: true });
    const response = await gateway.fetch(new Request(url, { method: "POST", headers, body }));
    const answer = await response.json();
    if (!answer.ok) throw new Error(`${tool}: ${answer.error.code}: ${answer.error.message}`);
    return answer.result;
  };
}

/** What a player needs: the program that speaks MCP, and where it finds the gateway. */
async function handOver(folder: string, url: string, token: string, control: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/player.json`, JSON.stringify({ url, token, control }));
  const agent = `${ROOT}bench/jobs/agent.ts`;
  const run = `exec deno run -A --quiet --lock=${ROOT}tests/deno.lock ${agent} "$(dirname "$0")" "$@"`;
  await Deno.writeTextFile(`${folder}/agent`, `#!/bin/sh\n${run}\n`, { mode: 0o755 });
}

type StandIns = Awaited<ReturnType<typeof startStandIns>>;

/** The gateway over them, on a free port. */
async function openOver({ env }: StandIns) {
  const own: Record<string, string> = {
    ...newSecrets(),
    ...env,
    HOST: "127.0.0.1",
    PORT: String(freePort()),
    KV_PATH: ":memory:",
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
  };
  const registry = await readRegistry();
  const settings = readSettings((name) => own[name], "demo", registry.connectors.settings);
  return { settings, gateway: await openGateway(settings, registry) };
}

/** Registers the clients, and fills their sites. */
async function fill(gateway: Gateway, standIns: StandIns): Promise<World> {
  const { roofer, dentist, yoga, crm, figures, repo, hosting } = standIns;
  await registerClients(gateway, { roofer, dentist, yoga: yoga.cms, crm, workspace: WORKSPACE_ID });
  await figures.link(gateway, figures.folder.id);
  await gateway.toolCatalogs.run();
  const ready = readied(gateway, await tokenOf(gateway, "Content assistant", 4));
  await fillRoofer(roofer, ready);
  for (const [site_id, heading] of [[SITES.garden, HEADING], [SITES.bikes, "Weber Bikes"]]) {
    await ready("init_static_project", { site_id, homepage_html: `<h1>${heading}</h1>` });
  }
  await repo.commit(STATIC.garden.repo, { files: ARTICLES, message: "Add articles" });
  hosting.next(STATIC.bikes.hosting_project, { kind: "failure", stage: "build", log: BROKEN.log });
  await repo.commit(STATIC.bikes.repo, { files: { [BROKEN.path]: "<>\n" }, message: "Add the workshop" });
  return { ...standIns, ready };
}

/** Where a player's answer is judged. */
function judging(world: World) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { job, answer } = await request.json();
    return Response.json(await judge(world, job, answer));
  });
}

if (import.meta.main) {
  const folder = Deno.args[0];
  if (folder === undefined) throw new Error("Name a folder for the run");
  await Deno.mkdir(folder, { recursive: true });
  const standIns = await startStandIns(folder);
  const { gateway, settings } = await openOver(standIns);
  const control = judging(await fill(gateway, standIns));
  await serve(gateway, settings, async (url) => {
    const at = `http://127.0.0.1:${control.addr.port}`;
    await handOver(folder, url, await tokenOf(gateway, "Assistant", PLAYERS_RISK), at);
    say(`The world of ${folder} is ready: ${url}, process ${Deno.pid}`);
  });
  await control.shutdown();
  await standIns.stop();
  Deno.exit(0);
}
