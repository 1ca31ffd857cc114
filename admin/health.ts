/** How the gateway does, for its operator; what anybody may know is answered by /healthz. */
import type { Hono } from "hono";
import type { RetentionState } from "../rules/retention.ts";
import { answer } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";

/** What the health page shows. */
export interface HealthReport {
  /** Whether nothing waits for the operator. */
  readonly ok: boolean;
  /** The gateway's clock, ISO 8601. */
  readonly clock: string;
  readonly retention: RetentionState;
}

/** Adds the health page. */
export function healthRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/health", async (c) => {
    const retention = await ports.retention.state();
    const report: HealthReport = {
      ok: retention.waiting === null,
      clock: new Date(ports.now()).toISOString(),
      retention,
    };
    return answer(c, report);
  });
}
