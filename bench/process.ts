/** Starts servers as processes of their own, waits until they answer, and measures them. */

/** A running server. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  /** From the start of the process to its first answer. */
  readonly bootMs: number;
  /** Processor time that its process has used so far, in milliseconds; 0 where the machine does not tell. */
  cpuMs(): Promise<number>;
  /** How much of it on the thread that runs JavaScript. */
  threadMs(): Promise<number>;
  /** Resident memory now, MiB; 0 where the machine does not tell. */
  memoryMib(): Promise<number>;
  /** How much more of it, MiB, is held at the worst moment of some work than before it. */
  extraMib(work: () => Promise<unknown>): Promise<number>;
  /** How much of it, MiB, is held at the worst moment of some work. */
  peakMib(work: () => Promise<unknown>): Promise<number>;
}

const DEADLINE_MS = 20_000;
/** What makes Linux count a process's peak from now on (proc(5), clear_refs). */
const FORGET_PEAK = "5";

/** The project that is measured. */
const ROOT = new URL("..", import.meta.url);

/**
 * Starts `deno run …args` and waits until `path` answers; `root` is the folder that the script is in, this project's
 * where nothing else is said. Throws when it does not within 20 s.
 */
export async function start(
  args: readonly string[],
  url: string,
  path: string,
  env: Record<string, string> = {},
  root: URL | string = ROOT,
): Promise<Server> {
  const began = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", ...args],
    cwd: root,
    env,
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  while (!await answers(url + path)) {
    if (performance.now() - began > DEADLINE_MS) {
      child.kill("SIGKILL");
      throw new Error(`${args.join(" ")} did not answer`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const bootMs = performance.now() - began;
  return {
    url,
    bootMs,
    cpuMs: () => used(`/proc/${child.pid}/stat`),
    threadMs: () => used(`/proc/${child.pid}/task/${child.pid}/stat`),
    memoryMib: () => resident(child.pid, "VmRSS"),
    async extraMib(work) {
      const before = await resident(child.pid, "VmRSS");
      return await peak(child.pid, work) - before;
    },
    peakMib: (work) => peak(child.pid, work),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

async function peak(pid: number, work: () => Promise<unknown>): Promise<number> {
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, FORGET_PEAK);
  await work();
  return await resident(pid, "VmHWM");
}

/** What a process holds now or held at most, MiB; 0 where the machine does not tell. */
export async function resident(pid: number, which: "VmRSS" | "VmHWM"): Promise<number> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    return Math.round(Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** User and system time, which Linux counts in hundredths of a second (proc(5), stat, fields 14 and 15). */
async function used(path: string): Promise<number> {
  try {
    const stat = await Deno.readTextFile(path);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
}

/** A port that is free now. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** How busy the machine is besides: processes that run or wait for the disk, over one and five minutes. */
export function loadAverage(): string {
  const [one = 0, five = 0] = Deno.loadavg();
  return `${one.toFixed(2)} over one minute, ${five.toFixed(2)} over five`;
}

/** A cache folder for the runtime in which packages are there and compiled code is not. */
export async function emptyCache(folder: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  await Deno.mkdir(folder, { recursive: true });
  await Deno.symlink(`${denoDir}/npm`, `${folder}/npm`);
  return folder;
}
