/** The class that an operator gives a tool of a site's own server, as far as its name and hints allow it. */
import { GatewayError } from "../../core/errors.ts";
import type { ProxyClass } from "../../platforms/tool_servers/types.ts";
import type { ApprovalOrder } from "../../registry/proxied_reports.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { ListedTool } from "../../store/store.ts";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** The class that an order gives a tool. Throws E_BAD_INPUT for one it cannot have. */
export function classFor(order: ApprovalOrder, source: Proxies, tool: ListedTool): ProxyClass {
  const { name } = order;
  const known = source.known.get(name);
  if (known) {
    if (order.class !== undefined && order.class !== (known.writes ? "write" : "read")) {
      throw bad(`class: "${name}" is known as a ${known.writes ? "write" : "read"}; leave it out`);
    }
    if (order.effect !== undefined && order.effect !== known.effect) {
      throw bad(`effect: "${name}" is known with effect ${known.effect}; leave it out`);
    }
    const { writes, effect, page } = known;
    return { writes, effect, ...(page === undefined ? {} : { page }) };
  }
  if (order.class === undefined) throw bad(`class is required for "${name}": read or write`);
  const because = source.mustWrite(name, tool.hints);
  if (order.class === "read") {
    if (because !== null) throw bad(`class: "${name}" can only be a write, for ${because}`);
    if ((order.effect ?? "read") !== "read") throw bad("effect: a read has effect read; leave it out");
    return { writes: false, effect: "read" };
  }
  const effect = order.effect ?? source.effect;
  if (!source.effects.includes(effect)) {
    throw bad(`effect: expected one of ${source.effects.join(", ")} for such a tool`);
  }
  if (effect !== "page") {
    if (order.page !== undefined) throw bad("page: only a tool with effect page names one; leave it out");
    return { writes: true, effect };
  }
  const properties = (tool.input_schema.properties ?? {}) as object;
  const { page } = order;
  if (page === undefined || !Object.hasOwn(properties, page)) {
    throw bad(
      `page: expected the argument that names the page, one of ${Object.keys(properties).join(", ")}`,
    );
  }
  return { writes: true, effect, page };
}
