import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One Prometheus registry for the whole server; modules register their metrics here. */
export class Metrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #registry = new Registry();
  readonly #looks: (() => Promise<void>)[] = [];

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /** A counter that a module keeps itself; asked for when scraped. */
  keptCounter(
    name: string,
    help: string,
    values: () => readonly { labels?: Readonly<Record<string, string>>; value: number }[],
  ): void {
    const labelNames = [...new Set(values().flatMap(({ labels }) => Object.keys(labels ?? {})))];
    this.#registry.registerMetric(
      new Counter({
        name,
        help,
        labelNames,
        registers: [],
        collect() {
          this.reset();
          for (const { labels, value } of values()) this.inc(labels ?? {}, value);
        },
      }),
    );
  }

  /** A gauge whose value is asked for when scraped. */
  gauge(name: string, help: string, value: () => number): void {
    this.#registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(value());
        },
      }),
    );
  }

  histogram(name: string, help: string, buckets: readonly number[]): Histogram {
    return new Histogram({ name, help, buckets: [...buckets], registers: [this.#registry] });
  }

  /** For values that are kept elsewhere: done before each scrape. What fails leaves the values as they were. */
  beforeScrape(look: () => Promise<void>): void {
    this.#looks.push(look);
  }

  async text(): Promise<string> {
    await Promise.allSettled(this.#looks.map((look) => look()));
    return await this.#registry.metrics();
  }
}
