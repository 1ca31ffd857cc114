/** What a session does with a connection that the database has ended, by what the database said of it. */
import assert from "node:assert/strict";
import type { Connections, Lent } from "../../../store/postgres/driver.ts";
import { Session } from "../../../store/postgres/session.ts";

const STATEMENT = { name: "one", text: "select 1", values: [] };

/** A pool whose first connection fails with that code, and whose others answer; it tells which were cut. */
function pool(code: string) {
  const cut: (boolean | undefined)[] = [];
  let asked = 0;
  const lend = () => {
    const isFirst = asked++ === 0;
    return {
      query: () =>
        isFirst
          ? Promise.reject(Object.assign(new Error("said"), { code, severity: "FATAL" }))
          : Promise.resolve({ rows: [{ one: 1 }] }),
      release: (isCut?: boolean) => void cut.push(isCut),
    } as unknown as Lent;
  };
  const connections: Connections = {
    connect: () => Promise.resolve(lend()),
    on: () => {},
    end: () => Promise.resolve(),
  };
  return { cut, connections };
}

Deno.test("a read whose connection the database ends is sent again on another one, for whatever reason it ended it", async () => {
  for (const code of ["57P01", "57P02", "57P03", "57P04", "57P05", "08006", "53300", "25P04"]) {
    const { cut, connections } = pool(code);
    const session = new Session(connections, 1, 5000);
    assert.deepEqual(await session.read(STATEMENT), [{ one: 1 }], code);
    assert.deepEqual(cut, [true, undefined], `${code}: the first was cut`);
    await session.close();
  }
});

Deno.test("what the database refuses is not sent again, and its connection is kept", async () => {
  for (const code of ["57014", "42501", "22012"]) {
    const { cut, connections } = pool(code);
    const session = new Session(connections, 1, 5000);
    await assert.rejects(session.read(STATEMENT), { code });
    assert.deepEqual(cut, [false], code);
    await session.close();
  }
});
