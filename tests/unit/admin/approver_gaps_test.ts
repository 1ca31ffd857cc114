/** A site on which people decide is said to lack them: nobody who may, or one whom four eyes can leave out. */
import assert from "node:assert/strict";
import { approverGaps } from "../../../admin/confirm_policy.ts";
import type { Site, User } from "../../../core/model.ts";

const user = (email: string, approve_sites?: readonly string[], allowed_sites: readonly string[] = ["*"]) =>
  ({ email, approve_sites, allowed_sites }) as unknown as User;
const site = (confirm_policy: string, four_eyes?: boolean) =>
  ({ id: "acme", confirm_policy, four_eyes }) as unknown as Site;

const [ann, bea] = [user("ann@a.example", ["acme"]), user("bea@a.example", ["*"])];
const beyond = user("cal@a.example", ["acme"], ["bolt"]);
const CASES: readonly (readonly [what: string, of: Site, users: readonly User[], says: RegExp | null])[] = [
  ["no person is asked", site("preview"), [], null],
  [
    "nobody may",
    site("human"),
    [user("dan@a.example"), beyond],
    /^confirm_policy: nobody but the master token may approve .*--approve-sites acme/,
  ],
  ["somebody may", site("human"), [ann], null],
  [
    "nobody may, under four eyes",
    site("human", true),
    [beyond],
    /^confirm_policy: nobody may approve what is asked for here/,
  ],
  [
    "one may, under four eyes",
    site("preview", true),
    [ann],
    /^four_eyes: only ann@a\.example may approve here/,
  ],
  ["two may, under four eyes", site("human", true), [ann, bea], null],
];

for (const [what, of, users, says] of CASES) {
  Deno.test(`of a site where ${what} ${says === null ? "nothing is said" : "that is said, with the way out"}`, () => {
    const said = approverGaps(of, users);
    if (says === null) assert.deepEqual(said, []);
    else assert.ok(said.length === 1 && says.test(said[0]!), said.join());
  });
}
