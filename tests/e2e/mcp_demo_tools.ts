/** The tools the conformance suite asks for by name, each answering content as a site's own tool would. */
import { CLOCK } from "../../core/async.ts";
import { Content } from "../../core/content.ts";
import { GatewayError } from "../../core/errors.ts";
import type { McpPorts } from "../../doors/mcp.ts";
import type { McpCall } from "../../doors/mcp_call.ts";

const IMAGE = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const resource = (mimeType: string, text: string) => ({
  type: "resource",
  resource: { uri: "test://resource", mimeType, text },
});

const ANSWERS: Record<string, (call: McpCall) => unknown> = {
  test_simple_text: () => "plain words",
  test_image_content: () => new Content([IMAGE]),
  test_audio_content: () => new Content([{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }]),
  test_embedded_resource: () => new Content([resource("text/plain", "words")]),
  test_multiple_content_types: () =>
    new Content([{ type: "text", text: "words" }, IMAGE, resource("application/json", "{}")]),
  test_tool_with_progress: ({ follower }) => {
    for (const done of [0, 50, 100]) follower?.progress(done, 100, `${done} of 100`);
    return "done";
  },
  test_error_handling: () => {
    throw new GatewayError("E_TOOL_ERROR", "The tool fails, as it is meant to");
  },
};

/** A tool that changes the list, by the name the suite has for it. */
const TRIGGER = "test_trigger_tool_change";

const inputSchema = { type: "object", properties: {}, additionalProperties: false };
const LISTING = JSON.stringify(
  [...Object.keys(ANSWERS), TRIGGER].map((name) => ({
    name,
    description: "A tool of the conformance suite.",
    inputSchema,
  })),
);

/** The same ports, offering these tools and no others. */
export function withDemoTools(ports: McpPorts): McpPorts {
  let changes = 0;
  const version = () => `version ${changes}`;
  return {
    ...ports,
    listing: () => LISTING,
    lists: { fresh() {}, key: version, digest: version },
    clock: CLOCK,
    call: (call) => {
      if (call.tool === TRIGGER) return Promise.resolve({ changes: ++changes });
      const answer = ANSWERS[call.tool];
      if (answer === undefined) {
        throw new GatewayError("E_TOOL_NOT_FOUND", `No tool is called "${call.tool}"`);
      }
      return Promise.resolve(answer(call));
    },
  };
}
