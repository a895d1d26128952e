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
 * The time before the first line in a log of CI. Elsewhere standard error has only kubectl's text, for scripts that
 * compare it.
 */
const QUIET_MS = 10_000;

function quietTime(): number | undefined {
  if (preferences().isVerbose) return 0;
  return process.env['CI'] === undefined ? undefined : QUIET_MS;
}

/** Shows that podrun waits for an object that does not exist yet. */
export function tellCreation(clock: Clock, what: string): WaitProgress {
  const text = `waiting for ${what} to be created`;
  return new WaitProgress({ clock, quietMs: quietTime(), phrase: () => ({ text, key: text }) });
}

/** Runs beside a `wait`: shows what it waits for, and notices when a condition can no longer become true. */
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
    // A missing object is an error at once: nothing waits for it.
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

  /** Notes that the result of a question is about to be printed. */
  settled(question: Question): void {
    this.#open.delete(question);
  }

  /** Stops the watch. May be called twice. */
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
