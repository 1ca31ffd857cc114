/** The official SDK's server as a function: a message of JSON-RPC in, its answer out. */

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** What a tool answers. */
export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** One message of JSON-RPC. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A server's tools; `C` is what a call knows of who asks. */
export interface Toolbox<C> {
  readonly info: { readonly name: string; readonly version: string };
  /** What `initialize` says to the model that asks. */
  readonly instructions?: string;
  /** Whether it answers lists of resources and prompts, which are empty. */
  readonly has_other_lists?: boolean;
  /** The versions of the protocol that it speaks, the newest first. */
  readonly versions: readonly string[];
  list(context: C): readonly ListedTool[];
  /** Throws RpcError for what is no answer of a tool. */
  call(name: string, args: Readonly<Record<string, unknown>>, context: C): Promise<ToolResult> | ToolResult;
}

/** A refusal of the protocol's, not of a tool's. */
export class RpcError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** The text of a tool's failure. */
export function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** The SDK's server with those tools in it, not yet connected; imported when it is first asked for. */
export async function sdkServer<C>(box: Toolbox<C>, contextOf: (id: unknown) => C) {
  const { ProtocolError, Server } = await import("@modelcontextprotocol/server");
  const server = new Server(box.info, {
    capabilities: {
      tools: { listChanged: false },
      ...box.has_other_lists ? { resources: { listChanged: false }, prompts: { listChanged: false } } : {},
    },
    instructions: box.instructions,
    supportedProtocolVersions: [...box.versions],
  });
  if (box.has_other_lists) {
    server.setRequestHandler("resources/list", () => ({ resources: [] }));
    server.setRequestHandler("prompts/list", () => ({ prompts: [] }));
  }
  server.setRequestHandler("tools/list", (_, { mcpReq }) => ({
    tools: [...box.list(contextOf(mcpReq.id))] as never,
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    try {
      return await box.call(params.name, params.arguments ?? {}, contextOf(mcpReq.id)) as never;
    } catch (thrown) {
      if (thrown instanceof RpcError) throw new ProtocolError(thrown.code, thrown.message);
      throw thrown;
    }
  });
  return server;
}

/** Answers one request at a time or many at once, whatever ids they have. */
export type Ask<C> = (message: Message, context: C) => Promise<Message>;

/** Connects the SDK's server to a function. */
export async function rpc<C>(box: Toolbox<C>): Promise<Ask<C>> {
  const { InMemoryTransport } = await import("@modelcontextprotocol/server");
  const open = new Map<unknown, { readonly context: C; readonly answer: (message: Message) => void }>();
  const server = await sdkServer(box, (id) => open.get(id)!.context);
  const [here, there] = InMemoryTransport.createLinkedPair();
  here.onmessage = (message) => {
    const answer = message as Message;
    open.get(answer.id)?.answer(answer);
  };
  await here.start();
  await server.connect(there);
  let last = 0;
  return async (message, context) => {
    const id = ++last; // two clients may use one id at the same time
    const answered = new Promise<Message>((answer) => open.set(id, { context, answer }));
    await here.send({ ...message, id } as never);
    const answer = await answered;
    open.delete(id);
    return { ...answer, id: message.id };
  };
}
