/** describe_tool: everything about some tools, or the tools of some groups, or all, as types. */
import { GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";

export default tool("describe_tool", {
  check({ tool: named, groups, format }) {
    if (named === undefined && groups === undefined && format !== "types") {
      throw new GatewayError(
        "E_BAD_INPUT",
        "tool: name the tool or tools to describe, or give groups, or format: types for all of them",
      );
    }
    if (groups === undefined || named === undefined && format !== "json") return;
    throw new GatewayError(
      "E_BAD_INPUT",
      named === undefined
        ? "format: tools of groups are answered as types; leave it out, or name the tools"
        : "groups: give tool or groups, not both",
    );
  },
  async run({ tool: named, groups, format }, { tools }) {
    const names = named === undefined ? undefined : [named].flat();
    const whole = format === "types";
    if (names === undefined || whole) return await tools.types({ names, groups, whole });
    const described = await tools.describe(names);
    return typeof named === "string" ? described[0]! : { tools: described };
  },
});
