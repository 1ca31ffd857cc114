/** describe_tool: everything about a tool, or all tools as types. */
import { GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";

export default tool("describe_tool", {
  check({ tool: name, format }) {
    if (name !== undefined || format === "types") return;
    throw new GatewayError(
      "E_BAD_INPUT",
      "tool: name the tool to describe, or give format: types for all of them",
    );
  },
  run: async ({ tool: name, format }, { tools }) =>
    format === "types" ? { types: await tools.types(name) } : await tools.describe(name!),
});
