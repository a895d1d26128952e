import { OutputLines, type Painter, prefixLines } from '../../print/index.ts';
import type { StoredPod } from '../../api/index.ts';
import type { OutputStream } from '../../runtime/index.ts';
import type { ApplyView, ApplyViewOptions } from './apply-view.ts';
import type { Cli } from '../base/cli.ts';
import type { ReaderGone } from '../base/process.ts';

/** The view for --quiet: output of containers, and no transitions. */
export class QuietView implements ApplyView {
  readonly #out: Cli['stdout'];
  readonly #color: Painter;
  readonly #isSingle: boolean;
  readonly #numbers = new Map<string, number>();
  readonly #showsLogs: boolean;
  readonly #isTerminal: boolean;
  readonly #lines = new Map<string, OutputLines>();

  constructor({ cli, flags, pods, workloads }: ApplyViewOptions, color: Painter) {
    this.#out = cli.stdout;
    this.#isTerminal = this.#out.isTerminal;
    this.#showsLogs = flags.logs;
    this.#color = color;
    this.#isSingle = pods.length === 1 && workloads.length === 0 && flags.staticPods === undefined;
  }

  output(
    { metadata: { uid, name } }: StoredPod,
    container: string,
    stream: OutputStream,
    chunk: Buffer,
  ): Promise<void> | undefined {
    if (!this.#showsLogs) return undefined;
    const key = `${uid}/${container}/${stream}`;
    let lines = this.#lines.get(key);
    if (lines === undefined) {
      const number = this.#numbers.get(`${uid}/${container}`) ?? this.#numbers.size;
      this.#numbers.set(`${uid}/${container}`, number);
      const named = this.#isSingle ? container : `${name}/${container}`;
      const prefix = `${this.#color.series(number, `${named} |`)} `;
      lines = new OutputLines((lines) => this.#out.write(prefixLines(lines, { prefix, isTerminal: this.#isTerminal })));
      this.#lines.set(key, lines);
    }
    lines.write(chunk);
    return this.#out.whenTaken();
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#out.onReaderGone(callback);
  }

  close(): void {
    for (const lines of this.#lines.values()) lines.flush();
  }

  pod(): void {}
  event(): void {}
  object(): void {}
  hookOutput(): void {}
  note(): void {}
  trouble(): void {}
  pull(): void {}
  follow(): void {}
  commandStarts(): void {}
  ending(): void {}
}
