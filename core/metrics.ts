/** Figures as Prometheus reads them: counted in memory, and made text when somebody asks. */

/** Values of labels, in the order of their names. */
export type LabelValues = readonly string[];

/** What is known of a figure beside its values. */
export interface MetricSpec {
  readonly name: string;
  /** One sentence without a full stop. */
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * How many series there may be. What comes beyond has "other" in the first label, whose values come from outside; those
   * of the other labels are few.
   */
  readonly most?: number;
}

/** Series of one figure when nothing else is said. */
const SERIES_MAX = 500;
const OTHER = "other";
const SEPARATOR = "\u0000";

/** A family of series, each made when it is first counted. */
class Family<Series> {
  readonly #series = new Map<string, { readonly values: LabelValues; readonly of: Series }>();

  constructor(readonly spec: MetricSpec, private readonly make: (values: LabelValues) => Series) {}

  of(values: LabelValues): Series {
    const key = values.length === 1 ? values[0]! : values.join(SEPARATOR);
    const found = this.#series.get(key);
    if (found !== undefined) return found.of;
    if (this.#series.size >= (this.spec.most ?? SERIES_MAX) && values.length > 0 && values[0] !== OTHER) {
      return this.of([OTHER, ...values.slice(1)]);
    }
    const of = this.make(values);
    this.#series.set(key, { values, of });
    return of;
  }

  all(): Iterable<{ readonly values: LabelValues; readonly of: Series }> {
    return this.#series.values();
  }
}

/** What only grows. */
export class Counter {
  readonly #family: Family<{ count: number }>;

  constructor(spec: MetricSpec) {
    this.#family = new Family(spec, () => ({ count: 0 }));
  }

  add(values: LabelValues, by = 1): void {
    this.#family.of(values).count += by;
  }

  /** The series itself, for who counts it often. */
  series(values: LabelValues): { count: number } {
    return this.#family.of(values);
  }

  get spec(): MetricSpec {
    return this.#family.spec;
  }

  /** Each series with its count. */
  all(): readonly (readonly [LabelValues, number])[] {
    return [...this.#family.all()].map(({ values, of }) => [values, of.count] as const);
  }

  lines(): string[] {
    const { spec } = this.#family;
    return [
      ...head(spec, "counter"),
      ...this.all().map(([values, count]) => line(spec.name, spec.labels, values, count)),
    ];
  }
}

/** One series of a histogram: how many fell below each bound and not below the one before, and what all took. */
export interface Seconds {
  readonly values: LabelValues;
  readonly counts: Float64Array;
  sum: number;
}

/** How many seconds things took. */
export class Histogram {
  readonly #family: Family<Seconds>;
  #told: ((values: LabelValues, seconds: number) => void) | null = null;

  /** `bounds` are upper ends in seconds, ascending. */
  constructor(spec: MetricSpec, readonly bounds: readonly number[]) {
    const make = (values: LabelValues) => ({ values, counts: new Float64Array(bounds.length + 1), sum: 0 });
    this.#family = new Family(spec, make);
  }

  get spec(): MetricSpec {
    return this.#family.spec;
  }

  /** From now on tells that as well of everything that took its time. */
  tell(told: (values: LabelValues, seconds: number) => void): void {
    this.#told = told;
  }

  observe(values: LabelValues, seconds: number): void {
    this.put(this.#family.of(values), seconds);
  }

  /** The series itself, for who puts into it often. */
  series(values: LabelValues): Seconds {
    return this.#family.of(values);
  }

  put(series: Seconds, seconds: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && seconds > bounds[at]!) at++;
    series.counts[at]!++;
    series.sum += seconds;
    this.#told?.(series.values, seconds);
  }

  lines(): string[] {
    const { name, labels } = this.#family.spec;
    const lines = head(this.#family.spec, "histogram");
    for (const { values, of: { counts, sum } } of this.#family.all()) {
      let count = 0;
      [...this.bounds, Infinity].forEach((bound, at) => {
        count += counts[at]!;
        const end = bound === Infinity ? "+Inf" : String(bound);
        lines.push(line(`${name}_bucket`, [...labels, "le"], [...values, end], count));
      });
      lines.push(line(`${name}_sum`, labels, values, sum), line(`${name}_count`, labels, values, count));
    }
    return lines;
  }
}

/** A value of what goes up and down; null where nobody knows it. */
export type Sample = readonly [LabelValues, number | null];

/** What goes up and down, as it is now. */
export interface Gauge {
  readonly spec: MetricSpec;
  readonly samples: readonly Sample[];
}

/** The lines of what goes up and down. */
export function gaugeLines({ spec, samples }: Gauge): string[] {
  const known = samples.filter((one): one is readonly [LabelValues, number] => one[1] !== null);
  return [
    ...head(spec, "gauge"),
    ...known.map(([values, value]) => line(spec.name, spec.labels, values, value)),
  ];
}

/** The text format, https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const head = (
  { name, help }: MetricSpec,
  type: string,
) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

function line(name: string, labels: readonly string[], values: LabelValues, value: number): string {
  if (labels.length === 0) return `${name} ${value}`;
  const pairs = labels.map((label, at) => `${label}="${escaped(values[at] ?? "")}"`);
  return `${name}{${pairs.join(",")}} ${value}`;
}

const escaped = (text: string) =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
