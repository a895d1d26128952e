import type { Command } from 'commander';
import { formatGoDuration } from '../../api/duration.ts';
import { EXIT, PodrunError } from '../../api/errors.ts';
import type { StoredKubeObject, StoredPod } from '../../api/objects.ts';
import { qualifiedKind, qualifiedPlural } from '../../api/resource-types.ts';
import { type Clock, SystemClock } from '../../clock.ts';
import { NOT_REACHED, SETTLE_MS, watchGoal } from '../../lifecycle/requests/goal-watch.ts';
import { type Goal, type GoalState, includesReady } from '../../lifecycle/requests/goal.ts';
import { parseWaitCondition, type WaitCondition } from '../../lifecycle/requests/wait-condition.ts';
import { getObject, notFound, type ObjectRef } from '../../run/object-ref.ts';
import { waitForObject } from '../../run/object-wait.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { Store } from '../../store/store.ts';
import { durationFlag, settleFlag, WEEK_MS } from '../duration-flag.ts';
import { openStore } from '../environment.ts';
import { objectPrinter, type ObjectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { writePrinted } from '../output/write-printed.ts';
import { detail } from '../preferences.ts';
import { reportErrors } from '../report-error.ts';
import { refsOf } from '../select/find-objects.ts';
import { append, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';
import { isExplicitList, nameMissing, readSelection, type Selection } from '../select/selection.ts';
import { StandardOutput } from '../standard-output.ts';
import { printError } from '../standard-streams.ts';
import type { RunVerb } from '../verb.ts';
import type { Question } from '../waiting/question.ts';
import { tellCreation, WaitWatch } from '../waiting/wait-watch.ts';
import { explainQuestions } from '../waiting/explain-questions.ts';

/** The flags of `wait`. */
interface WaitFlags extends SelectionFlags, OutputFlags {
  readonly for: readonly string[];
  readonly timeout: string;
  /** How long a container that no probe vouches for must have run before its Pod counts as Ready. */
  readonly settle: string;
}

const EXAMPLES = `
Examples:
  podrun wait pod/web --for=condition=Ready --timeout=60s
  podrun wait pod/web --for=delete
  podrun wait pod/job --for=jsonpath='{.status.phase}'=Succeeded
  podrun wait pods --all --for=condition=Ready
`;

/** `podrun wait`: waits until objects meet conditions. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('wait')
    .summary('Wait until Pods are as they should be')
    .description(
      'Waits until objects have a condition, a value, exist or are gone; exit code 1 when that takes too long.',
    )
    .usage('TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE --for=CONDITION [flags]')
    .argument('[resource...]', 'which objects');
  withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .option(
      '--for <condition>',
      "condition=NAME[=STATUS], delete, create or jsonpath='{PATH}'[=VALUE]; all of several must hold",
      append,
      [],
    )
    .option('--timeout <duration>', 'how long at most for all of them; 0: look once, negative: a week', '30s')
    .option(
      '--settle <duration>',
      'Ready counts once a container without readiness and startup probe has run so long; 0: at once',
      formatGoDuration(SETTLE_MS),
    )
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: WaitFlags) => run(() => wait(words, flags)));
}

/** One `wait` that goes on. All its objects and conditions share one deadline. */
interface Wait {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** `--timeout=0`: look, and do not wait. */
  readonly isLook: boolean;
  /** Aborted when what is waited for can never come: then the time is up. */
  readonly signal: AbortSignal;
  /** How long a container that no probe vouches for must have run before its Pod counts as Ready, milliseconds. */
  readonly settleMs: number;
}

async function wait(words: readonly string[], flags: WaitFlags): Promise<number> {
  // What cannot be printed is told before anybody waits.
  objectPrinter(flags);
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const conditions = (flags.for.length === 0 ? [''] : flags.for).map(parseWaitCondition);
  const settleMs = readSettle(flags, conditions);
  const selection = await readSelection('wait', words, flags);
  if (selection.how === 'listed' && !isExplicitList(flags)) throw nameMissing();
  const clock = new SystemClock();
  const deadlineMs = clock.now().monotonicMs + (timeoutMs < 0 ? WEEK_MS : timeoutMs);
  const store = openStore(flags.stateDir, clock);
  const hopeless = new AbortController();
  const going: Wait = { store, clock, deadlineMs, isLook: timeoutMs === 0, signal: hopeless.signal, settleMs };
  if (conditions.some(({ type }) => type === 'create')) await untilCreated(going, selection);
  const questions = refsNow(store, selection, conditions).flatMap((ref) => {
    const object = getObject(store, ref);
    return conditions.map((condition): Question => ({ ref, object, condition }));
  });
  const watch = going.isLook ? undefined : new WaitWatch(going, questions, () => hopeless.abort());
  try {
    return await settleAll(going, questions, watch, flags);
  } finally {
    watch?.close();
  }
}

/** @throws {PodrunError} (usage) when it is given, and nothing is to be Ready */
function readSettle({ settle }: WaitFlags, conditions: readonly WaitCondition[]): number {
  const settleMs = settleFlag(settle);
  if (settleMs === SETTLE_MS || conditions.some((condition) => readyGoal(condition) !== undefined)) return settleMs;
  throw new PodrunError('error: --settle is about Pods that are to be Ready', {
    exitCode: EXIT.usage,
    hint: 'Use it with --for=condition=Ready.',
  });
}

/** The condition as a goal that has to hold; undefined where it need not. */
function readyGoal(condition: WaitCondition): Goal | undefined {
  const wanted = condition.type === 'state' ? condition.wanted : undefined;
  return wanted?.type === 'condition' && includesReady(wanted) ? wanted : undefined;
}

/** One after the other, as they were named; what went wrong is told in the end, and why. */
async function settleAll(
  going: Wait,
  questions: readonly Question[],
  watch: WaitWatch | undefined,
  flags: WaitFlags,
): Promise<number> {
  const printer = objectPrinter(flags);
  const out = new StandardOutput();
  const errors: PodrunError[] = [];
  const open: Question[] = [];
  detail(`waiting for ${flags.for.join(' and ')}, for ${flags.timeout}`);
  for (const question of questions) {
    const outcome = await settle(going, question);
    watch?.settled(question);
    if (outcome instanceof PodrunError) errors.push(outcome);
    if (outcome === 'late') {
      errors.push(lateness(going, question));
      open.push(question);
    } else if (outcome !== undefined && !(outcome instanceof PodrunError)) {
      writePrinted({ write: (text) => out.tell(text, flags.output) }, () => renderMet(question.ref, outcome, printer));
    }
  }
  watch?.close();
  const exitCode = reportErrors(errors);
  if (open.length > 0 && !going.isLook) {
    const asked = { store: going.store, nowMs: going.clock.now().wallMs, stateDir: flags.stateDir };
    printError(explainQuestions(asked, open));
  }
  return exitCode;
}

/** @throws {PodrunError} when there is nothing to wait for */
function refsNow(store: Store, selection: Selection, conditions: readonly WaitCondition[]): readonly ObjectRef[] {
  if (selection.how === 'named') return selection.refs;
  const refs = refsOf(store, selection);
  // All of nothing is gone.
  if (refs.length > 0 || conditions.every(({ type }) => type === 'delete')) return refs;
  throw new PodrunError('error: no matching resources found');
}

/** @throws {PodrunError} when they do not come in time */
async function untilCreated({ store, clock, deadlineMs }: Wait, selection: Selection): Promise<void> {
  const wanted =
    selection.how === 'named'
      ? selection.refs.map(({ type, namespace, name }) => {
          return { type, what: `${qualifiedKind(type)}/${name}`, scope: { namespace, name }, matches: () => true };
        })
      : selection.types.map((type) => {
          const matches = (object: StoredKubeObject): boolean => selection.matches(type, object);
          return { type, what: type.plural, scope: { namespace: selection.namespace }, matches };
        });
  for (const { type, what, scope, matches } of wanted) {
    const isMet = (object: StoredKubeObject | undefined): boolean => object !== undefined && matches(object);
    const progress = tellCreation(clock, what);
    const isThere = await waitForObject({ store, clock, resource: type.plural, scope, deadlineMs, isMet });
    progress.close();
    if (!isThere) throw new PodrunError('error: timed out waiting for the condition');
  }
}

/**
 * Waits for one condition of one object. Answers the object as it then is, or was last; undefined where there is
 * nothing to say; `late` when the time is up; or the error that is to be told when all the others have been waited for.
 */
async function settle(
  { store, clock, deadlineMs, isLook, signal, settleMs }: Wait,
  { ref, object: first, condition }: Question,
): Promise<StoredKubeObject | PodrunError | 'late' | undefined> {
  if (condition.type === 'create') return first;
  if (first === undefined) return condition.type === 'delete' ? undefined : notFound(store, ref);
  let last = first;
  const goal = readyGoal(condition);
  let watch = NOT_REACHED;
  const isMet = (object: StoredKubeObject | undefined): boolean | { readonly untilMs: number } => {
    if (condition.type === 'delete') return object?.metadata.uid !== first.metadata.uid;
    last = object ?? last;
    if (object === undefined || goal === undefined || ref.type.plural !== 'pods') {
      return object !== undefined && condition.isMet(object);
    }
    // As in kubectl, a container that ends meanwhile is no reason to give up: it may come back.
    const rules = { settleMs, allowRestarts: true };
    const pods = [object as unknown as StoredPod];
    const stateOf = (): GoalState => (condition.isMet(object) ? 'met' : 'pending');
    const looked = watchGoal(watch, { goal, rules, pods, now: clock.now(), stateOf });
    watch = looked.watch;
    return looked.progress.type === 'settling' ? looked.progress : looked.progress.type === 'met';
  };
  const { namespace, name, type } = ref;
  const scope = { namespace, name };
  // As in kubectl, there is one deadline: who comes after it has failed, whatever its state is.
  if (!isLook && (clock.now().monotonicMs >= deadlineMs || signal.aborted)) return 'late';
  try {
    const isInTime = await waitForObject({ store, clock, resource: type.plural, scope, deadlineMs, isMet, signal });
    return isInTime ? last : 'late';
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    return error;
  }
}

function lateness({ isLook }: Wait, { ref: { type, name } }: Question): PodrunError {
  const what = isLook ? 'condition not met for' : 'timed out waiting for the condition on';
  return new PodrunError(`error: ${what} ${qualifiedPlural(type)}/${name}`);
}

function renderMet(ref: ObjectRef, object: StoredKubeObject, printer: ObjectPrinter | undefined): string {
  return printer === undefined ? `${qualifiedKind(ref.type)}/${ref.name} condition met\n` : printer.print(object);
}
