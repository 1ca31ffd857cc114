/** Prometheus' own tool, where it is on this machine (Debian: prometheus). */

/** What it says, and how it ended; `input` goes to its standard input. */
export async function promtool(
  args: readonly string[],
  input?: string,
): Promise<{ code: number; said: string }> {
  const child = new Deno.Command("promtool", {
    args: [...args],
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  return { code, said: new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout) };
}

/** Whether it is there. */
export const hasPromtool: boolean = await promtool(["--version"]).then(({ code }) => code === 0, () => false);
