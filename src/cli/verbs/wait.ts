import {
  getObject,
  inPlace,
  missingObjectError,
  type ObjectRef,
  timedOutWaiting,
  waitForObject,
} from '../../apiserver/index.ts';
import type { Command } from 'commander';
import {
  formatGoDuration,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  qualifiedPlural,
  storageOf,
  type StoredKubeObject,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { whyNotReady } from '../../controllers/index.ts';
import { type AwaitedGoal, GoalWait } from '../../engine/index.ts';
import {
  includesReady,
  parseWaitCondition,
  podRoot,
  type Root,
  SETTLE_MS,
  type WaitCondition,
} from '../../lifecycle/index.ts';
import type { FileStore, Store } from '../../store/index.ts';
import { type ContextFlags, contextOption, durationFlag, settleFlag, WEEK_MS } from '../flags/options.ts';
import { nextLookAtOwner } from '../change/resting.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter, type ObjectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { writePrinted } from '../output/paged-output.ts';
import { reportErrors } from '../base/report-error.ts';
import { refsOf } from '../select/find-objects.ts';
import { append, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';
import { isExplicitList, nameMissing, readSelection, type Selection } from '../select/selection.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { explainTargets, isOutOfReach, type WaitTarget } from '../waiting/wait-target.ts';
import { showCreationWait, WaitWatch } from '../waiting/wait-watch.ts';

interface WaitFlags extends SelectionFlags, OutputFlags, ContextFlags {
  readonly for: readonly string[];
  readonly timeout: string;
  /** The time that a container without a readiness or startup probe must run before its Pod counts as Ready. */
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
    .summary('Wait for a condition of Pods and other objects')
    .description(
      'Waits until objects meet a condition, have a value, exist or are deleted. Exits with 1 after the timeout.',
    )
    .usage('TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE --for=CONDITION [flags]')
    .argument('[resource...]', 'the objects');
  withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .option(
      '--for <condition>',
      "ready, condition=NAME[=STATUS], delete, create or jsonpath='{PATH}'[=VALUE]; all of several must be met",
      append,
      [],
    )
    .option(
      '--timeout <duration>',
      'the longest time to wait, for all objects together; 0: check once; negative: a week',
      '30s',
    )
    .option(
      '--settle <duration>',
      'how long a container without readiness and startup probe must run to count as Ready; 0: no time',
      formatGoDuration(SETTLE_MS),
    )
    .addOption(contextOption())
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: WaitFlags) => run((cli) => wait(cli, words, flags)));
}

/** The state of a `wait`. All its objects and conditions share one deadline. */
interface Wait {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** True for `--timeout=0`: check once, and do not wait. */
  readonly isLook: boolean;
  /** Aborted when a condition can no longer become true: then the wait ends as at the deadline. */
  readonly signal: AbortSignal;
  /**
   * The time that a container without a readiness or startup probe must run before its Pod counts as Ready,
   * milliseconds.
   */
  readonly settleMs: number;
}

async function wait(cli: Cli, words: readonly string[], flags: WaitFlags): Promise<number> {
  // Reports a mistake in -o before the wait.
  objectPrinter(cli, flags);
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const conditions = (flags.for.length === 0 ? [''] : flags.for).map(readCondition);
  const settleMs = readSettle(flags, conditions);
  const selection = await readSelection(cli, 'wait', words, flags);
  if (selection.how === 'listed' && !isExplicitList(flags)) throw nameMissing();
  const { clock } = cli;
  const deadlineMs = clock.now().monotonicMs + (timeoutMs < 0 ? WEEK_MS : timeoutMs);
  const store = openStore(cli, flags.context);
  const unreachable = new AbortController();
  const going: Wait = { store, clock, deadlineMs, isLook: timeoutMs === 0, signal: unreachable.signal, settleMs };
  if (conditions.some(({ type }) => type === 'create')) await untilCreated(cli, going, selection);
  const targets = refsNow(store, selection, conditions).flatMap((ref) => {
    const object = getObject(store, ref);
    return conditions.map((condition): WaitTarget => ({ ref, object, condition }));
  });
  const watch = going.isLook ? undefined : new WaitWatch(cli, store, targets, () => unreachable.abort());
  try {
    return await settleAll(cli, going, targets, watch, flags);
  } finally {
    watch?.close();
  }
}

/** Reads `--for`. podrun's own: `ready`, which each kind has a meaning of. */
function readCondition(text: string): WaitCondition {
  if (text !== 'ready') return parseWaitCondition(text);
  const isMet = (object: KubeObject): boolean => whyNotReady(object) === undefined;
  return { type: 'state', isMet, wanted: undefined, text, phrase: text };
}

/**
 * Reads `--settle`.
 * @throws {PodrunError} (usage) when no condition is about Ready
 */
function readSettle({ settle }: WaitFlags, conditions: readonly WaitCondition[]): number {
  const settleMs = settleFlag(settle);
  if (settleMs === SETTLE_MS || conditions.some((condition) => readyGoal(condition) !== undefined)) return settleMs;
  throw usage(
    '--settle needs --for=condition=Ready',
    'It says how long a container without probes must run to count as Ready.',
  );
}

/** The goal for a condition that must hold for a while. Undefined for all other conditions. */
function readyGoal(condition: WaitCondition): AwaitedGoal | undefined {
  if (condition.type !== 'state') return undefined;
  const { isMet, text, wanted } = condition;
  if (wanted?.type !== 'condition' || !includesReady(wanted)) return undefined;
  const stateOf: AwaitedGoal['stateOf'] = ({ object }) => (isMet(object as unknown as KubeObject) ? 'met' : 'pending');
  return { text, ofPods: wanted, isAbout: () => true, stateOf };
}

/**
 * Waits for the objects one after the other, in the order of their names. Prints errors and explanations at the end.
 */
async function settleAll(
  cli: Cli,
  going: Wait,
  targets: readonly WaitTarget[],
  watch: WaitWatch | undefined,
  flags: WaitFlags,
): Promise<number> {
  const printer = objectPrinter(cli, flags);
  const errors: PodrunError[] = [];
  const open: WaitTarget[] = [];
  cli.detail(`waiting for ${flags.for.join(' and ')}, for ${flags.timeout}`);
  for (const target of targets) {
    const outcome = await settle(going, target);
    watch?.settled(target);
    if (outcome instanceof PodrunError) errors.push(outcome);
    if (outcome === 'late') {
      errors.push(lateness(going, target));
      open.push(target);
    } else if (outcome !== undefined && !(outcome instanceof PodrunError)) {
      writePrinted({ write: (text) => cli.tell(text, flags.output) }, () => renderMet(target.ref, outcome, printer));
    }
  }
  watch?.close();
  const exitCode = reportErrors(cli.stderr, errors);
  if (open.length > 0 && !going.isLook) {
    const request = { store: going.store, nowMs: going.clock.now().wallMs, stateDir: cli.flags.stateDir };
    cli.stderr.write(explainTargets(request, open));
  }
  return exitCode;
}

/**
 * The objects to wait for.
 * @throws {PodrunError} when there are none
 */
function refsNow(store: Store, selection: Selection, conditions: readonly WaitCondition[]): readonly ObjectRef[] {
  if (selection.how === 'named') return selection.refs;
  const refs = refsOf(store, selection);
  // With `--for=delete`, an empty selection is already deleted.
  if (refs.length > 0 || conditions.every(({ type }) => type === 'delete')) return refs;
  throw new PodrunError('NotFound', 'no matching resources found');
}

/**
 * Waits until the objects exist.
 * @throws {PodrunError} when they do not at the deadline
 */
async function untilCreated(cli: Cli, { store, clock, deadlineMs }: Wait, selection: Selection): Promise<void> {
  const wanted =
    selection.how === 'named'
      ? selection.refs.map((ref) => {
          return { of: ref, what: `${qualifiedKind(ref.type)}/${ref.name}`, matches: () => true };
        })
      : selection.types.map((type) => {
          const matches = (object: StoredKubeObject): boolean => selection.matches(type, object);
          return { of: { type, namespace: selection.namespace }, what: type.plural, matches };
        });
  for (const { of, what, matches } of wanted) {
    const isMet = (object: StoredKubeObject | undefined): boolean => object !== undefined && matches(object);
    const progress = showCreationWait(cli, what);
    const isThere = await waitForObject({ store, clock, of, deadlineMs, isMet });
    progress.close();
    if (!isThere) throw timedOutWaiting();
  }
}

/**
 * Waits for one condition of one object. Returns the last state of the object, `late` at the deadline, or an error,
 * which is printed at the end. Undefined when there is nothing to print.
 */
async function settle(
  { store, clock, deadlineMs, isLook, signal, settleMs }: Wait,
  target: WaitTarget,
): Promise<StoredKubeObject | PodrunError | 'late' | undefined> {
  const { ref, object: first, condition } = target;
  if (condition.type === 'create') return first;
  if (first === undefined) return condition.type === 'delete' ? undefined : missingObjectError(store, ref);
  let last = first;
  const goal = storageOf(ref.type) === 'pods' ? readyGoal(condition) : undefined;
  // As in kubectl, an ended container does not end the wait: it may start again.
  const rules = { settleMs, allowRestarts: true };
  const roots = (): readonly Root[] => [podRoot(last as unknown as StoredPod)];
  const goalWait = goal && new GoalWait({ clock, goal, rules, roots });
  const isMet = (object: StoredKubeObject | undefined): boolean | { readonly untilMs: number } => {
    if (condition.type === 'delete') return object?.metadata.uid !== first.metadata.uid;
    last = object ?? last;
    if (object === undefined) return false;
    if (goalWait === undefined) {
      if (condition.isMet(object)) return true;
      // WaitWatch ends a wait that cannot succeed any more, with the reason.
      return isLook || isOutOfReach(target, object) ? false : (nextLookAtOwner(store, ref, clock) ?? false);
    }
    const progress = goalWait.look();
    return progress.type === 'settling' ? progress : progress.type === 'met';
  };
  // As in kubectl, all objects share the deadline: after it, the next object is late in any state.
  if (!isLook && (clock.now().monotonicMs >= deadlineMs || signal.aborted)) return 'late';
  try {
    const isInTime = await waitForObject({ store, clock, of: ref, deadlineMs, isMet, signal });
    return isInTime ? last : 'late';
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    return error;
  }
}

function lateness({ isLook }: Wait, { ref: { type, name } }: WaitTarget): PodrunError {
  const what = isLook ? 'condition not met for' : 'timed out waiting for the condition on';
  return new PodrunError('GoalNotReached', `${what} ${qualifiedPlural(type)}/${name}`);
}

function renderMet(ref: ObjectRef, object: StoredKubeObject, printer: ObjectPrinter | undefined): string {
  return printer === undefined
    ? `${qualifiedKind(ref.type)}/${ref.name} condition met\n`
    : printer.print(inPlace(ref.type, object));
}
