/** describe_tool: everything about a tool, or all tools as types. */
import { GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";

export default tool("describe_tool", async ({ tool: name, format }, { tools }) => {
  if (format === "types") return { types: await tools.types(name) };
  if (name !== undefined) return await tools.describe(name);
  throw new GatewayError(
    "E_BAD_INPUT",
    "tool: name the tool to describe, or give format: types for all of them",
  );
});
