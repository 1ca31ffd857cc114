/** Drives one address with wrk and reads its figures. */

/** What one run of wrk measured. */
export interface Figures {
  readonly perSecond: number;
  /** How many were answered. */
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx or 3xx, and broken connections. */
  readonly failures: number;
}

/** A request to repeat. */
export interface Target {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How the load is made. */
export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** One run. Throws when wrk is missing, saying where it comes from. */
export async function drive(target: Target, load: Load): Promise<Figures> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(script, lua(target));
    const args = [
      "-t1",
      `-c${load.connections}`,
      `-d${load.seconds}s`,
      "--latency",
      "-s",
      script,
      target.url,
    ];
    const { stdout, success } = await new Deno.Command("wrk", { args }).output();
    if (!success) throw new Error(`wrk failed on ${target.url}`);
    return read(new TextDecoder().decode(stdout));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new Error("The bench needs wrk; on Debian: apt-get install wrk");
    }
    throw error;
  } finally {
    await Deno.remove(script);
  }
}

function lua({ method, headers, body }: Target): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    `wrk.headers[${quote(name)}] = ${quote(value)}`
  );
  return [`wrk.method = "${method}"`, body === undefined ? "" : `wrk.body = ${quote(body)}`, ...lines].join(
    "\n",
  );
}

const quote = (text: string) => JSON.stringify(text);

function read(output: string): Figures {
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0);
  const time = (percent: string) => {
    const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s|m)`).exec(output) ?? [];
    return Number(value) * (UNITS[unit ?? "ms"] ?? NaN);
  };
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    requests: number(/(\d+) requests in/),
    p50Ms: time("50"),
    p99Ms: time("99"),
    failures: number(/Non-2xx or 3xx responses: (\d+)/) + number(/Socket errors:.*read (\d+)/),
  };
}
