import type { StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { joinPhrases } from '../../print/waits/wait-phrase.ts';
import type { WaitPhrase } from '../../print/waits/progress-pace.ts';
import { getObject } from '../../run/object-ref.ts';
import type { FileStore } from '../../store/file-store.ts';
import { preferences } from '../preferences.ts';
import { HopelessWatch } from './hopeless-watch.ts';
import { isHopelessQuestion, type Question, questionPhrase } from './question.ts';
import { WaitedPods } from './waited-pods.ts';
import { WaitProgress } from './wait-progress.ts';

/**
 * In a log of CI, progress is told after so long; elsewhere standard error holds what kubectl writes there and nothing
 * before it, for scripts that compare.
 */
const QUIET_MS = 10_000;

function quietTime(): number | undefined {
  if (preferences().isVerbose) return 0;
  return process.env['CI'] === undefined ? undefined : QUIET_MS;
}

/** Says that something is waited for that is not there yet. */
export function tellCreation(clock: Clock, what: string): WaitProgress {
  const text = `waiting for ${what} to be created`;
  return new WaitProgress({ clock, quietMs: quietTime(), phrase: () => ({ text, key: text }) });
}

/** What goes on beside a `wait`: it says what is waited for, and notices when there is no hope left. */
export class WaitWatch {
  readonly #store: FileStore;
  readonly #clock: Clock;
  readonly #open: Set<Question>;
  readonly #pods: WaitedPods;
  readonly #progress: WaitProgress;
  readonly #hopeless: HopelessWatch;

  constructor(
    { store, clock }: { readonly store: FileStore; readonly clock: Clock },
    questions: readonly Question[],
    onHopeless: () => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    // What was not there is told at once, and not waited for.
    this.#open = new Set(questions.filter(({ object }) => object !== undefined));
    this.#pods = new WaitedPods(store);
    this.#progress = new WaitProgress({ clock, quietMs: quietTime(), phrase: () => this.#phrase() });
    this.#hopeless = new HopelessWatch({
      store,
      clock,
      refs: [...new Set([...this.#open].map(({ ref }) => ref))],
      isUnattainable: (ref, object) =>
        [...this.#open].some((question) => question.ref === ref && isHopelessQuestion(question, object)),
      onHopeless,
    });
  }

  /** The answer to this one is about to be written. */
  settled(question: Question): void {
    this.#open.delete(question);
  }

  /** May be called twice. */
  close(): void {
    this.#hopeless.close();
    this.#progress.close();
    this.#pods.close();
  }

  #phrase(): WaitPhrase | undefined {
    const nowMs = this.#clock.now().wallMs;
    return joinPhrases(
      [...this.#open]
        .filter(({ condition }) => condition.type !== 'create')
        .map((question) => {
          const object = question.ref.type.plural === 'pods' ? getObject(this.#store, question.ref) : undefined;
          const waited = object === undefined ? undefined : this.#pods.of(object as unknown as StoredPod);
          return questionPhrase(question, waited, nowMs);
        }),
    );
  }
}
