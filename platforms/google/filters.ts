/** Filters and orders of an analytics report, as Google's own reference writes them: read strictly, so that a misspelt field is named. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";

/** An object with those fields alone; one it has not is answered with those it has. */
const exact = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown ${issue.keys.map((key) => `"${key.slice(0, 60)}"`).join(", ")}, expected one of ${
          Object.keys(shape).join(", ")
        }`
        : undefined,
  });

const INT64 = z.union([z.string().regex(/^-?\d{1,19}$/), z.int().transform(String)]);
const NUMBER = z.union([exact({ int64Value: INT64 }), exact({ doubleValue: z.number() })]);
const MATCHES = ["EXACT", "BEGINS_WITH", "ENDS_WITH", "CONTAINS", "FULL_REGEXP", "PARTIAL_REGEXP"] as const;
const OPERATIONS = [
  "EQUAL",
  "LESS_THAN",
  "LESS_THAN_OR_EQUAL",
  "GREATER_THAN",
  "GREATER_THAN_OR_EQUAL",
] as const;
const TESTS = {
  stringFilter: exact({
    matchType: z.enum(MATCHES).optional(),
    value: z.string(),
    caseSensitive: z.boolean().optional(),
  }).optional(),
  inListFilter: exact({
    values: z.array(z.string()).min(1).max(1000),
    caseSensitive: z.boolean().optional(),
  }).optional(),
  numericFilter: exact({ operation: z.enum(OPERATIONS), value: NUMBER }).optional(),
  betweenFilter: exact({ fromValue: NUMBER, toValue: NUMBER }).optional(),
};

/** Exactly one of those fields. */
const oneOf = (names: readonly string[]) =>
  [
    (value: object) =>
      names.filter((name) => (value as Record<string, unknown>)[name] !== undefined).length === 1,
    { error: `expected exactly one of ${names.join(", ")}` },
  ] as const;

const FILTER = exact({ fieldName: z.string().min(1).max(200), ...TESTS })
  .refine(...oneOf(Object.keys(TESTS)));
export type Filter = z.output<typeof FILTER>;

/** A condition on dimensions or metrics: one filter, or several joined. */
export interface FilterExpression {
  readonly andGroup?: { readonly expressions: FilterExpression[] } | undefined;
  readonly orGroup?: { readonly expressions: FilterExpression[] } | undefined;
  readonly notExpression?: FilterExpression | undefined;
  readonly filter?: Filter | undefined;
}

const GROUP = exact({
  expressions: z.array(z.lazy((): z.ZodType<FilterExpression> => EXPRESSION)).min(1),
});
const EXPRESSION: z.ZodType<FilterExpression> = exact({
  andGroup: GROUP.optional(),
  orGroup: GROUP.optional(),
  notExpression: z.lazy(() => EXPRESSION).optional(),
  filter: FILTER.optional(),
}).refine(...oneOf(["andGroup", "orGroup", "notExpression", "filter"]));

const ORDER_TYPES = ["ALPHANUMERIC", "CASE_INSENSITIVE_ALPHANUMERIC", "NUMERIC"] as const;
const ORDER = exact({
  metric: exact({ metricName: z.string().min(1) }).optional(),
  dimension: exact({ dimensionName: z.string().min(1), orderType: z.enum(ORDER_TYPES).optional() })
    .optional(),
  desc: z.boolean().optional(),
}).refine(...oneOf(["metric", "dimension"]));
export type OrderBy = z.output<typeof ORDER>;

function read<T>(shape: z.ZodType<T>, value: unknown, field: string): T {
  const found = shape.safeParse(value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const at = [field, ...issue?.path ?? []].map((part) =>
    typeof part === "number" ? `[${part}]` : String(part)
  )
    .join(".").replaceAll(".[", "[");
  const what = issue?.message.replace(/^Invalid input: /, "").replace(/(?<![.\s])[.\s]+$/, "") ??
    "cannot be read";
  throw new GatewayError("E_BAD_INPUT", `${at}: ${what.charAt(0).toLowerCase()}${what.slice(1)}`);
}

/** A filter as a caller wrote it. Throws E_BAD_INPUT naming the part that is wrong. */
export function filterOf(value: unknown, field: string): FilterExpression | undefined {
  return value === undefined ? undefined : read(EXPRESSION, value, field);
}

/** Orders as a caller wrote them. Throws E_BAD_INPUT naming the part that is wrong. */
export function ordersOf(value: unknown, field: string): OrderBy[] | undefined {
  return value === undefined ? undefined : read(z.array(ORDER).max(20), value, field);
}

/** Which rows of a report are wanted, and in what order. */
export interface Conditions {
  readonly dimension_filter?: FilterExpression | undefined;
  readonly metric_filter?: FilterExpression | undefined;
  readonly order_bys?: readonly OrderBy[] | undefined;
}

/** The filters and orders of a call, read. Throws E_BAD_INPUT naming the part that is wrong. */
export function readConditions(args: {
  readonly dimension_filter?: unknown;
  readonly metric_filter?: unknown;
  readonly order_bys?: unknown;
}): Conditions {
  return {
    dimension_filter: filterOf(args.dimension_filter, "dimension_filter"),
    metric_filter: filterOf(args.metric_filter, "metric_filter"),
    order_bys: ordersOf(args.order_bys, "order_bys"),
  };
}
