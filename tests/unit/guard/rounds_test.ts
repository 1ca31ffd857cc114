/** How long a call that waits for a person is kept waiting in one round, and how many of a token are. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { Rounds, type RoundsPorts } from "../../../guard/consent/rounds.ts";
import { caller } from "./_callers.ts";

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** Rounds whose request stays as it is, and whose waits a test ends. */
function waiting(grant: string) {
  const looks: (() => void)[] = [];
  const stopping = new AbortController();
  const approval = { id: ID, grant, state: "pending", confirm_token: "cft_x", sites: [] };
  const ports = {
    store: {
      approvals: { find: () => Promise.resolve(approval) },
      consents: { answer: () => Promise.resolve(undefined) },
    },
    delay: () => new Promise<void>((resolve) => void looks.push(resolve)),
    baseUrl: "http://gate.test",
    sealer: () => assert.fail("nothing is sealed"),
    now: () => 0,
    stopping: stopping.signal,
  } as unknown as RoundsPorts;
  /** Lets every wait look once more. */
  const look = async () => {
    for (const next of looks.splice(0)) next();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { rounds: new Rounds(ports), look, looks, approval, stopping };
}

const never = new AbortController().signal;

Deno.test("a round lasts as long as get_approval may wait, and ends where its client has left, or the gateway stops", async () => {
  const asking = caller({ id: "t1" });
  const { rounds, look, looks, stopping } = waiting("t1");
  let over = 0;
  const kept = rounds.wait(asking, ID, never).then(() => over++);
  const most = LIMITS.APPROVAL_WAIT_SECONDS * 1000 / LIMITS.APPROVAL_LOOK_MS;
  await look();
  for (let turn = 1; turn <= most; turn++) {
    assert.equal(looks.length, 1, `look ${turn}`);
    await look();
  }
  await kept;
  assert.equal(over, 1);
  const left = new AbortController();
  const gone = rounds.wait(asking, ID, left.signal);
  left.abort();
  await look();
  await look();
  await gone;
  const stopped = rounds.wait(asking, ID, never);
  await look();
  stopping.abort();
  await look();
  await look();
  await stopped;
});

Deno.test("a round is over once somebody has decided", async () => {
  const asking = caller({ id: "t1" });
  const { rounds, look, approval } = waiting("t1");
  const decided = rounds.wait(asking, ID, never);
  await look();
  approval.state = "rejected";
  await look();
  await decided;
});

Deno.test("of one token only so many calls are kept waiting; the next is answered at once", async () => {
  const { rounds, look, looks } = waiting("t1");
  const left = new AbortController();
  const [one, other] = [caller({ id: "t1" }), caller({ id: "t2" })];
  const kept = Array.from({ length: LIMITS.ROUNDS_WAITING }, () => rounds.wait(one, ID, left.signal));
  await look();
  assert.equal(looks.length, LIMITS.ROUNDS_WAITING);
  await rounds.wait(one, ID, left.signal);
  await rounds.wait(other, ID, left.signal); // it did not ask for this request, and waits for nothing
  left.abort();
  await look();
  await look();
  await Promise.all(kept);
  const again = rounds.wait(one, ID, left.signal);
  await look();
  await look();
  await again;
});
