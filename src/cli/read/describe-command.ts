import { EXIT, PodrunError } from '../../api/errors.ts';
import type { StoredEvent, StoredPod } from '../../api/objects.ts';
import { qualifiedKind, type ResourceType, resourceTypeNamed } from '../../api/resource-types.ts';
import { SystemClock } from '../../clock.ts';
import { describePod, describePods } from '../../print/describe/describe-pod.ts';
import type { ObjectReader } from '../../store/store.ts';
import { notFound, type ObjectRef } from '../../run/object-ref.ts';
import type { DescribeFlags } from './describe.ts';
import { displayNowMs, openStore } from '../environment.ts';
import { refuseOfSaved } from '../from/from-option.ts';
import { savedObjects } from '../from/saved-objects.ts';
import { findObjects, type Found, noneFound } from '../select/find-objects.ts';
import { reportErrors } from '../report-error.ts';
import { readSelection, type Selection } from '../select/selection.ts';
import { isAboutPast } from '../select/run-names.ts';
import { showPaged } from '../paged-output.ts';
import { note } from '../preferences.ts';

/** `podrun describe`: flags in, exit code out. */
export async function describe(words: readonly string[], flags: DescribeFlags): Promise<number> {
  const selection = await readSelection('describe', withType(words, flags), flags);
  checkTypes(selection);
  refuseOfSaved({ ...flags, watch: false });
  const clock = new SystemClock();
  const nowMs = displayNowMs(clock);
  if (flags.from.length > 0) return describeFound(await savedObjects(flags), selection, flags, nowMs);
  const store = openStore(flags.stateDir, clock);
  if (!isAboutPast(selection, flags.at)) return describeFound(store, selection, flags, nowMs);
  const { pastPods } = await import('../history/past-pods.ts');
  const past = pastPods(store, selection, { at: flags.at, nowMs });
  await showPaged(describePods(past.pods, flags.showEvents ? past.events : undefined, past.nowMs));
  return EXIT.ok;
}

async function describeFound(
  store: ObjectReader,
  selection: Selection,
  flags: DescribeFlags,
  nowMs: number,
): Promise<number> {
  const { pods, isGuess, missing } = findPods(store, selection);
  const events = flags.showEvents ? eventsBeside(store, pods) : undefined;
  if (isGuess) await showPaged(pods.map((pod) => `${describePod(pod, events, nowMs)}\n`).join(''));
  else await showPaged(describePods(pods, events, nowMs));
  if (pods.length === 0 && selection.how === 'listed') note(noneFound(selection));
  return missing.length === 0 ? EXIT.ok : reportErrors(missing.map((ref) => notFound(store, ref)));
}

/** `describe` is about Pods: the word may be left out. */
function withType(words: readonly string[], { filename }: DescribeFlags): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined) return filename.length > 0 ? [] : ['pods'];
  const isName = rest.length === 0 && !/[/,]/.test(first) && resourceTypeNamed(first) === undefined && first !== 'all';
  return isName ? ['pods', first] : words;
}

function checkTypes(selection: Selection): void {
  const types = selection.how === 'listed' ? selection.types : selection.refs.map(({ type }) => type);
  const other = types.find(({ plural }) => plural !== 'pods');
  if (other !== undefined) throw onlyPods(other);
}

function onlyPods(type: ResourceType): PodrunError {
  const kind = qualifiedKind(type);
  return new PodrunError(`error: podrun describes Pods, and no ${kind}`, {
    exitCode: EXIT.usage,
    hint: `To see all of it: podrun get ${kind} NAME -o yaml`,
  });
}

interface FoundPods {
  readonly pods: readonly StoredPod[];
  readonly missing: readonly ObjectRef[];
  /** No Pod has the name: these begin with it. */
  readonly isGuess: boolean;
}

function findPods(store: ObjectReader, selection: Selection): FoundPods {
  const found = findObjects(store, selection);
  const [missing, ...more] = found.missing;
  if (missing !== undefined && more.length === 0 && found.groups.length === 0 && missing.file === undefined) {
    const { namespace } = missing;
    const similar = store.list<StoredPod>('pods', { namespace }).filter((pod) => isLike(pod, missing));
    if (similar.length > 0) return { pods: similar, missing: [], isGuess: true };
  }
  return { pods: podsIn(found), missing: found.missing, isGuess: false };
}

function isLike({ metadata }: StoredPod, { name }: ObjectRef): boolean {
  return metadata.name.startsWith(name);
}

function podsIn({ groups }: Found): StoredPod[] {
  return groups.flatMap(({ objects }) => objects) as unknown as StoredPod[];
}

/** All events of the namespaces of these Pods. */
function eventsBeside(store: ObjectReader, pods: readonly StoredPod[]): StoredEvent[] {
  const namespaces = new Set(pods.map(({ metadata }) => metadata.namespace));
  return [...namespaces].flatMap((namespace) => store.list<StoredEvent>('events', { namespace }));
}
