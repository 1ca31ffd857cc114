/** A KV Connect server in memory, for the gateway to keep its store on. */

/*
 * The metadata exchange and the data path are those of protocol version 3:
 * https://github.com/denoland/denokv/blob/main/proto/kv-connect.md and proto/schema/datapath.proto.
 */

/** The token that opens it. */
export const ACCESS_TOKEN = "kv-connect-token";
const SESSION_TOKEN = "session-token";

/** A field of a protobuf message: its number, and its bytes or its number. */
type Field = readonly [number: number, value: Uint8Array | bigint];

function* fields(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7n) === 0n) yield [Number(tag >> 3n), varint()];
    else {
      const length = Number(varint());
      yield [Number(tag >> 3n), bytes.subarray(at, at += length)];
    }
  }
}

/** The fields of a message by number; what is repeated is a list. */
class Message {
  readonly #fields: readonly Field[];
  constructor(bytes: Uint8Array) {
    this.#fields = [...fields(bytes)];
  }
  all(number: number): Message[] {
    return this.#of(number).map((value) => new Message(value as Uint8Array));
  }
  bytes(number: number): Uint8Array {
    return (this.#of(number)[0] as Uint8Array | undefined) ?? new Uint8Array();
  }
  number(number: number): number {
    return Number(this.#of(number)[0] ?? 0n);
  }
  #of(number: number) {
    return this.#fields.filter(([one]) => one === number).map(([, value]) => value);
  }
}

function varint(value: number): number[] {
  const out: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) out.push(value % 128 | 0x80);
  return [...out, value];
}

function message(
  ...parts: (readonly [number: number, value: Uint8Array | number])[]
): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    parts.flatMap(([number, value]) =>
      typeof value === "number"
        ? [...varint(number << 3), ...varint(value)]
        : [...varint(number << 3 | 2), ...varint(value.length), ...value]
    ),
  );
}

interface Kept {
  readonly key: Uint8Array;
  readonly data: Uint8Array;
  readonly encoding: number;
  readonly versionstamp: string;
}

const [SUCCESS, CHECK_FAILURE] = [1, 2];
const [SET, DELETE, SUM] = [1, 2, 3];
const hex = (bytes: Uint8Array) => bytes.toHex();

/** What the server keeps, and how it answers. */
class Database {
  readonly #kept = new Map<string, Kept>();
  #version = 0;

  read(body: Uint8Array): Uint8Array<ArrayBuffer> {
    const ranges = new Message(body).all(1).map((range) => {
      const [start, end] = [hex(range.bytes(1)), hex(range.bytes(2))];
      const found = [...this.#kept].filter(([key]) => key >= start && key < end)
        .sort(([a], [b]) => a < b ? -1 : 1).map(([, kept]) => kept);
      const wanted = (range.number(4) === 1 ? found.reverse() : found).slice(0, range.number(3));
      return message(
        ...wanted.map(({ key, data, encoding, versionstamp }) =>
          [1, message([1, key], [2, data], [3, encoding], [4, Uint8Array.fromHex(versionstamp)])] as const
        ),
      );
    });
    return message(...ranges.map((range) => [1, range] as const), [4, 1], [8, SUCCESS]);
  }

  write(body: Uint8Array): Uint8Array<ArrayBuffer> {
    const change = new Message(body);
    const fits = change.all(1).every((check) =>
      (this.#kept.get(hex(check.bytes(1)))?.versionstamp ?? "") === hex(check.bytes(2))
    );
    if (!fits) return message([1, CHECK_FAILURE]);
    const versionstamp = (++this.#version).toString(16).padStart(20, "0");
    for (const mutation of change.all(2)) {
      const key = mutation.bytes(1);
      const [value] = mutation.all(2);
      const kind = mutation.number(3);
      if (kind === DELETE) this.#kept.delete(hex(key));
      else if ((kind === SET || kind === SUM) && value !== undefined) {
        const data = kind === SET ? value.bytes(1) : this.#sum(key, value.bytes(1));
        this.#kept.set(
          hex(key),
          { key: key.slice(), data: data.slice(), encoding: value.number(2), versionstamp },
        );
      } else throw new Error(`mutation ${kind} is not known here`);
    }
    return message([1, SUCCESS], [2, Uint8Array.fromHex(versionstamp)]);
  }

  #sum(key: Uint8Array, more: Uint8Array): Uint8Array {
    const number = (bytes: Uint8Array) => new DataView(bytes.slice().buffer).getBigUint64(0, true);
    const before = this.#kept.get(hex(key));
    const sum = new DataView(new ArrayBuffer(8));
    sum.setBigUint64(0, number(more) + (before ? number(before.data) : 0n), true);
    return new Uint8Array(sum.buffer);
  }
}

/** A server that runs, and how often it was asked for its metadata and for data. */
export interface KvConnectServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: { metadata: number; data: number };
}

/** Starts one; `metadata` answers in its place, and with `isDumb` it never answers on the data path. */
export function startKvConnect(
  { metadata, isDumb = false }: { metadata?: () => Response | Promise<Response>; isDumb?: boolean } = {},
): KvConnectServer {
  const database = new Database();
  const asked = { metadata: 0, data: 0 };
  const server = Deno.serve(
    // A client that is killed in the middle of a request is none of its faults.
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError: () => new Response(null, { status: 500 }) },
    async (request): Promise<Response> => {
      const { origin, pathname } = new URL(request.url);
      const body = await request.bytes();
      if (pathname === "/") {
        asked.metadata++;
        if (metadata !== undefined) return await metadata();
        if (request.headers.get("authorization") !== `Bearer ${ACCESS_TOKEN}`) {
          return new Response("no such token", { status: 401 });
        }
        return Response.json({
          version: 3,
          databaseId: "11111111-1111-4111-8111-111111111111",
          endpoints: [{ url: `${origin}/v2`, consistency: "strong" }],
          token: SESSION_TOKEN,
          expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        });
      }
      asked.data++;
      if (isDumb) {
        return await new Promise<Response>((resolve) => stopped.then(() => resolve(new Response())));
      }
      if (request.headers.get("authorization") !== `Bearer ${SESSION_TOKEN}`) {
        return new Response("", { status: 401 });
      }
      const answer = pathname === "/v2/snapshot_read" ? database.read(body) : database.write(body);
      return new Response(answer, { headers: { "content-type": "application/x-protobuf" } });
    },
  );
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return {
    url,
    asked,
    async [Symbol.asyncDispose]() {
      stop();
      await server.shutdown();
    },
  };
}
