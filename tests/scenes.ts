/** Tests that each have a world of their own. */

/** Makes what names and runs such tests: the world is opened before each and disposed of after it. */
export function scenes<W extends AsyncDisposable>(
  open: () => Promise<W>,
): (name: string, run: (at: W) => unknown) => void {
  return (name, run) =>
    Deno.test(name, async () => {
      await using at = await open();
      await run(at);
    });
}
