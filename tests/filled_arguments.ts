/** Arguments for any tool, by its schema: as few as there may be, and such as a careful caller would send. */
import { ahead, type Args, PNG } from "./cms_kit.ts";
import { NOW } from "./kit.ts";

/** A schema, as far as it says what a value may be. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly minimum?: number;
  readonly minItems?: number;
}

/** What a name stands for, where any text would not do. */
const NAMED: Readonly<Record<string, unknown>> = {
  scheduled_at: ahead(7200, NOW),
  start_date: "2026-11-01",
  end_date: "2026-11-10",
  content_base64: PNG,
  filename: "a.png",
  path: "src/pages/a.html",
  route: "about",
  spreadsheet_id: "1".repeat(44),
  target_site_id: "cms-linked",
  query: "SELECT campaign.id FROM campaign",
  content: "---\ntitle: A\nstatus: draft\n---\n\nText\n",
  markdown: "---\ntitle: A\nstatus: draft\n---\n\nText\n",
  range: "A1:B2",
};

function sample(name: string, shape: Shape): unknown {
  if (shape.enum) return shape.enum[0];
  if (Object.hasOwn(NAMED, name)) return NAMED[name];
  if (shape.anyOf) return sample(name, shape.anyOf[0]!);
  const type = Array.isArray(shape.type) ? shape.type[0] : shape.type;
  if (type === "integer" || type === "number") return Math.max(1, shape.minimum ?? 1);
  if (type === "boolean") return true;
  if (type === "array") return [sample(name, shape.items ?? {})];
  if (type === "object") return filled(shape);
  if (shape.format === "date") return "2026-11-01";
  if (shape.format === "date-time") return ahead(7200, NOW);
  if (shape.format === "uri") return "https://acme.example/x";
  return "a";
}

/** A value for every argument that must be there. */
export const filled = ({ required = [], properties = {} }: Shape): Args =>
  Object.fromEntries(required.map((name) => [name, sample(name, properties[name] ?? {})]));
