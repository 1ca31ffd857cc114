/** A folder that a test has to itself. */

/** A new folder; it and what is in it are gone once it is disposed of, after what was opened in it since. */
export async function folder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
