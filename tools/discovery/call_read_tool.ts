/** call_read_tool: stands for the tool that it names; the pipeline calls that one in its place. */
import { notForwarded } from "./_forwarded.ts";
import { tool } from "../../registry/tool.ts";

export default tool("call_read_tool", { run: () => notForwarded("call_read_tool") });
