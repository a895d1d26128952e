import { PodrunError } from '../../api/errors.ts';
import type { StoredKubeObject } from '../../api/objects.ts';
import { qualifiedKind, qualifiedPlural } from '../../api/resource-types.ts';
import { type Clock, SystemClock } from '../../clock.ts';
import { parseWaitCondition, type WaitCondition } from '../../lifecycle/requests/wait-condition.ts';
import { renderObject } from '../../print/object.ts';
import type { Store } from '../../store/store.ts';
import { detail } from '../preferences.ts';
import { durationFlag, WEEK_MS } from '../duration-flag.ts';
import { openStore } from '../environment.ts';
import { refsOf } from '../select/find-objects.ts';
import { waitForObject } from '../../run/object-wait.ts';
import { getObject, notFound, type ObjectRef } from '../../run/object-ref.ts';
import { reportErrors } from '../report-error.ts';
import { isExplicitList, nameMissing, readSelection, type Selection } from '../select/selection.ts';
import { StandardOutput } from '../standard-output.ts';
import type { WaitFlags } from './wait.ts';

/** One `wait` that goes on. All its objects and conditions share one deadline. */
interface Wait {
  readonly store: Store;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** `--timeout=0`: look, and do not wait. */
  readonly isLook: boolean;
}

/** `podrun wait`: flags in, exit code out. */
export async function wait(words: readonly string[], flags: WaitFlags): Promise<number> {
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const conditions = (flags.for.length === 0 ? [''] : flags.for).map(parseWaitCondition);
  const selection = await readSelection('wait', words, flags);
  if (selection.how === 'listed' && !isExplicitList(flags)) throw nameMissing();
  const clock = new SystemClock();
  const deadlineMs = clock.now().monotonicMs + (timeoutMs < 0 ? WEEK_MS : timeoutMs);
  const going: Wait = { store: openStore(flags.stateDir, clock), clock, deadlineMs, isLook: timeoutMs === 0 };
  const out = new StandardOutput();
  const errors: PodrunError[] = [];
  detail(`waiting for ${flags.for.join(' and ')}, for ${flags.timeout}`);
  if (conditions.some(({ type }) => type === 'create')) await untilCreated(going, selection);
  for (const ref of refsNow(going.store, selection, conditions)) {
    const object = getObject(going.store, ref);
    for (const condition of conditions) {
      const outcome = await settle(going, { ref, object, condition });
      if (outcome instanceof PodrunError) errors.push(outcome);
      else if (outcome !== undefined) out.tell(renderMet(ref, outcome, flags), flags.output);
    }
  }
  return reportErrors(errors);
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
      ? selection.refs.map(({ type, namespace, name }) => ({ type, scope: { namespace, name }, matches: () => true }))
      : selection.types.map((type) => {
          const matches = (object: StoredKubeObject): boolean => selection.matches(type, object);
          return { type, scope: { namespace: selection.namespace }, matches };
        });
  for (const { type, scope, matches } of wanted) {
    const isMet = (object: StoredKubeObject | undefined): boolean => object !== undefined && matches(object);
    const isThere = await waitForObject({ store, clock, resource: type.plural, scope, deadlineMs, isMet });
    if (!isThere) throw new PodrunError('error: timed out waiting for the condition');
  }
}

/** One condition of one object, as it was at the start. */
interface Question {
  readonly ref: ObjectRef;
  readonly object: StoredKubeObject | undefined;
  readonly condition: WaitCondition;
}

/**
 * Waits for one condition of one object. Answers the object as it then is, or was last; undefined where there is
 * nothing to say; or the error that is to be told when all the others have been waited for too.
 */
async function settle(
  { store, clock, deadlineMs, isLook }: Wait,
  { ref, object: first, condition }: Question,
): Promise<StoredKubeObject | PodrunError | undefined> {
  if (condition.type === 'create') return first;
  if (first === undefined) return condition.type === 'delete' ? undefined : notFound(store, ref);
  let last = first;
  const isMet = (object: StoredKubeObject | undefined): boolean => {
    if (condition.type === 'delete') return object?.metadata.uid !== first.metadata.uid;
    last = object ?? last;
    return object !== undefined && condition.isMet(object);
  };
  const { namespace, name, type } = ref;
  const scope = { namespace, name };
  try {
    // As in kubectl, there is one deadline: who comes after it has failed, whatever its state is.
    const isLate = !isLook && clock.now().monotonicMs >= deadlineMs;
    if (!isLate && (await waitForObject({ store, clock, resource: type.plural, scope, deadlineMs, isMet })))
      return last;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    return error;
  }
  const what = isLook ? 'condition not met for' : 'timed out waiting for the condition on';
  return new PodrunError(`error: ${what} ${qualifiedPlural(type)}/${name}`);
}

function renderMet(ref: ObjectRef, object: StoredKubeObject, { output }: WaitFlags): string {
  return output === undefined ? `${qualifiedKind(ref.type)}/${ref.name} condition met\n` : renderObject(object, output);
}
