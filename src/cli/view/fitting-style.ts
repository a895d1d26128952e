import type { StoredPod } from '../../api/index.ts';
import { liveColumns, type LiveObjects, type LiveStyle, podLabel } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';

/** The style of live lines: it fits the terminal, whose width a user may change, and the containers of the run. */
export class FittingStyle {
  readonly #stdout: Cli['stdout'];
  readonly #live: LiveObjects;
  readonly #fixed: Pick<LiveStyle, 'color' | 'hasTimestamps'>;
  /**
   * The numbers of containers, which choose their colours. Containers of Pods that controllers create get numbers
   * later.
   */
  readonly #series = new Map<string, number>();
  /** The names of Pods without hashes, for a terminal. */
  readonly #labels = new Map<string, string>();
  #style: LiveStyle;

  /** @param live what the run has from its start */
  constructor(stdout: Cli['stdout'], live: LiveObjects, fixed: Pick<LiveStyle, 'color' | 'hasTimestamps'>) {
    this.#stdout = stdout;
    this.#live = live;
    this.#fixed = fixed;
    this.#style = this.#fitting();
  }

  /** The style of the last line. */
  get current(): LiveStyle {
    return this.#style;
  }

  /** The style of the next line. */
  fit(): LiveStyle {
    if (this.#width() !== this.#style.width) this.#style = this.#fitting();
    return this.#style;
  }

  /** Numbers the containers of a Pod that the run has not had so far. */
  countContainers(pod: StoredPod): void {
    const { metadata, spec } = pod;
    if (this.#stdout.isTerminal) this.#labels.set(metadata.name, podLabel(pod));
    for (const { name } of [...(spec.initContainers ?? []), ...spec.containers]) {
      const key = `${metadata.name}/${name}`;
      if (!this.#series.has(key)) this.#series.set(key, this.#series.size);
    }
  }

  #width(): number | undefined {
    return this.#stdout.isTerminal ? this.#stdout.columns : undefined;
  }

  #fitting(): LiveStyle {
    const width = this.#width();
    const { series, ...columns } = liveColumns(this.#live, width);
    for (const [name, index] of series) this.#series.set(name, index);
    return { ...this.#fixed, columns: { ...columns, series: this.#series, labels: this.#labels }, width };
  }
}
