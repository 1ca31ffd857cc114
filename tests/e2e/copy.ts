/** A copy of the project in a folder of its own, without some of its folders: made once a process, put right for each test. */
import assert from "node:assert/strict";
import { dirname } from "node:path";

const ROOT = new URL("../../", import.meta.url);

/** A copy; what was done in it is undone at the end of the block. */
export interface Copy extends AsyncDisposable {
  readonly folder: string;
}

/** The files that were copied, each as its size and time tell whether it is still the same. */
interface Made {
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
}

let made: Promise<Made> | undefined;
let isTaken = false;

const stateOf = ({ size, mtime }: Deno.FileInfo) => `${size} ${mtime?.getTime()}`;

/** Copies what git would commit. To make 2,000 files takes a second of the system, so a process makes them once. */
async function make(): Promise<Made> {
  const folder = await Deno.makeTempDir();
  globalThis.addEventListener("unload", () => {
    for (const one of [folder, aside(folder)]) Deno.removeSync(one, { recursive: true });
  });
  await Deno.mkdir(aside(folder));
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: ROOT,
  }).output();
  const files = new Map<string, string>();
  for (const path of new TextDecoder().decode(stdout).split("\0")) {
    if (path !== "" && copyFile(folder, path)) files.set(path, stateOf(Deno.statSync(`${folder}/${path}`)));
  }
  return { folder, files };
}

/** Where folders are that a test wants the copy to be without. */
const aside = (folder: string) => `${folder}-aside`;

/** Answers whether there was such a file; what git knows and somebody removed is left out. */
function copyFile(folder: string, path: string): boolean {
  Deno.mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
  try {
    Deno.copyFileSync(new URL(path, ROOT), `${folder}/${path}`);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Takes away what was added to the copy, and copies again what was changed or removed. */
function restore({ folder, files }: Made): void {
  const same = new Set<string>();
  const look = (below: string) => {
    let isEmpty = true;
    for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${below}`)) {
      const path = `${below}${name}`;
      if (isDirectory ? look(`${path}/`) : files.get(path) === stateOf(Deno.lstatSync(`${folder}/${path}`))) {
        same.add(path);
        isEmpty = false;
      } else Deno.removeSync(`${folder}/${path}`, { recursive: true });
    }
    return !isEmpty;
  };
  look("");
  for (const path of files.keys()) if (!same.has(path)) copyFile(folder, path);
}

/** A copy without these folders, for one test at a time. */
export async function copyProject(without: readonly string[] = []): Promise<Copy> {
  assert.ok(!isTaken, "another test has the copy");
  isTaken = true;
  const { folder } = await (made ??= make());
  for (const one of without) Deno.renameSync(`${folder}/${one}`, `${aside(folder)}/${one}`);
  return {
    folder,
    async [Symbol.asyncDispose]() {
      for (const one of without) Deno.renameSync(`${aside(folder)}/${one}`, `${folder}/${one}`);
      restore(await made!);
      isTaken = false;
    },
  };
}
