/** A program that gets an environment of its own and nothing of this process's, and what it says, line by line. */

/** How a program is run. */
export interface ChildOptions {
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends it. */
  readonly stop: AbortSignal;
  /** In milliseconds; then it is ended. */
  readonly limit_ms: number;
  readonly say: (line: string) => void;
}

async function lines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  say: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const [first = "", ...more] = part.split(/\r?\n/);
    rest += first;
    for (const next of more) {
      if (rest.trim() !== "") say(rest);
      rest = next;
    }
  }
  if (rest.trim() !== "") say(rest);
}

/** Runs it to its end and answers its exit code; null where it was ended. Throws NotFound where there is no such program. */
export async function said(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<number | null> {
  const { cwd, env, stop, limit_ms, say } = options;
  stop.throwIfAborted();
  const child = new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let isEnded = false;
  const end = () => {
    isEnded = true;
    try {
      child.kill("SIGKILL");
    } catch {
      // It has just come to its end.
    }
  };
  const timer = setTimeout(end, limit_ms);
  stop.addEventListener("abort", end);
  try {
    const [{ code }] = await Promise.all([child.status, lines(child.stdout, say), lines(child.stderr, say)]);
    return isEnded ? null : code;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", end);
  }
}
