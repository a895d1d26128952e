import {
  checkChanges,
  configureObject,
  hasLiveController,
  removePods,
  storeWorkload,
  workloadKey,
  type WorkloadKey,
} from '../../apiserver/index.ts';
import { type BackOffLimits, CRASH_LOOP, podRoot } from '../../lifecycle/index.ts';
import { EXIT, type StoredPod } from '../../api/index.ts';
import {
  beginRuns,
  beginWorkloads,
  changedRecords,
  type PlannedPod,
  storeRecords,
  undoRuns,
} from '../../engine/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { calledCommand } from '../base/environment.ts';
import { applyDetached } from './apply-detached.ts';
import type { ApplyPlan } from './apply-input.ts';
import type { ManifestsToRun } from './manifest-input.ts';
import { openReport } from './follow-run.ts';
import { runPods } from './run-pods.ts';
import type { ApplySession } from './session.ts';
import { holdSignals } from '../base/signals.ts';
import { JOB_BACKOFF } from '../../controllers/index.ts';

/** Manifests that may run, sorted by what is to be done with them. */
export interface CheckedManifests extends ManifestsToRun {
  /** Pods that another process runs at the moment. */
  readonly live: readonly ManifestObject<StoredPod>[];
  readonly own: readonly ManifestObject<StoredPod>[];
  /** The Pods that this run starts, and one for each workload that it starts. */
  readonly planned: readonly PlannedPod[];
  /** The Pods and workloads that no other process runs. */
  readonly resting: readonly ManifestObject[];
}

/** Stores the objects, runs what is to run, and waits for the goal. Answers the exit code. */
export async function storeAndRun(session: ApplySession, checked: CheckedManifests): Promise<number> {
  const { cli, flags, settings, store, expected, view } = session;
  const { pods, records, workloads, live, own, resting } = checked;
  checkChanges(store, [...changedRecords(store, [...records, ...workloads]), ...live], cli.warn);
  const run = {
    store,
    clock: cli.clock,
    command: calledCommand(cli),
    hasNetworks: settings.privateNetworks !== undefined,
    made: flags.made,
    warn: cli.warn,
    trouble: (text: string) => view.trouble(text),
    note: (text: string) => view.note(text),
  };
  await storeRecords(run, records, flags.detach ? [] : resting);
  if (pods.length === 0 && workloads.length === 0 && flags.staticPods === undefined) return EXIT.ok;
  const exitCode = await applyPods(session, { live, own, ...(await applyWorkloads(session, workloads)) });
  const judged = expected?.check(cli, store, exitCode) ?? exitCode;
  if (flags.keep !== undefined) {
    const applied = pods.map(({ object }) => object);
    await keepNewest(session, applied, flags.keep);
  }
  return judged;
}

/** Stores workloads. Sorts them by whether another process runs their controllers. */
async function applyWorkloads(
  { cli, flags, store, view }: ApplySession,
  workloads: readonly ManifestObject[],
): Promise<Pick<SortedPods, 'workloads' | 'liveWorkloads'>> {
  const options = { warn: cli.warn, note: (text: string) => view.note(text), made: flags.made };
  const keys = workloads.map(workloadKey);
  const liveWorkloads = keys.filter((key) => hasLiveController(store, key));
  for (const manifest of workloads) view.note(await storeWorkload(store, cli.clock, manifest, options));
  return { workloads: keys.filter((key) => !liveWorkloads.includes(key)), liveWorkloads };
}

interface SortedPods {
  /** Stored workloads that rest. */
  readonly workloads: readonly WorkloadKey[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly WorkloadKey[];
  /** Pods that another process runs at the moment. */
  readonly live: readonly ManifestObject<StoredPod>[];
  readonly own: readonly ManifestObject<StoredPod>[];
}

/** Changes the Pods that run already, runs the other Pods, and waits for the goal. */
async function applyPods(session: ApplySession, sorted: SortedPods): Promise<number> {
  const { cli, flags, view } = session;
  if (flags.detach) {
    return applyDetached(session, sorted, (pods) => {
      for (const pod of pods) view.note(configurePod(session, pod));
      if (pods.length > 0 || sorted.liveWorkloads.length > 0) warnOfIdleFlags(session);
    });
  }
  const heldSignals = holdSignals(cli);
  try {
    return await beginAndRun({ ...session, heldSignals }, sorted);
  } finally {
    heldSignals.release();
  }
}

async function beginAndRun(session: ApplySession, sorted: SortedPods): Promise<number> {
  const { cli, flags, plan, store, view } = session;
  const { live, own, workloads: keys } = sorted;
  const { owned, foreign } = await beginRuns(store, cli.clock, own, { command: calledCommand(cli) });
  try {
    checkChanges(store, foreign, cli.warn);
    for (const pod of [...live, ...foreign]) view.note(configurePod(session, pod));
  } catch (error) {
    undoRuns(store, owned);
    throw error;
  }
  const others = [...live, ...foreign].flatMap(({ object: { metadata } }) => {
    return store.get<StoredPod>('pods', metadata.namespace, metadata.name) ?? [];
  });
  if (others.length > 0 || sorted.liveWorkloads.length > 0) warnOfIdleFlags(session);
  const workloads = await beginWorkloads(store, cli.clock, keys, { command: calledCommand(cli) });
  const isIdle = owned.length === 0 && workloads.length === 0 && flags.staticPods === undefined;
  if (isIdle && !isWaiting(plan) && session.follow === undefined) {
    const report = openReport(session, others);
    report?.write({ roots: others.map(podRoot), pods: others, record: 'complete', command: undefined }, (trouble) =>
      view.trouble(trouble),
    );
    return EXIT.ok;
  }
  if (others.length > 0) warnOfForeignPods(session, others);
  const begun = new Set(workloads.map(({ object }) => `${object.kind}/${object.metadata.name}`));
  const liveWorkloads = [...sorted.liveWorkloads, ...keys.filter(({ kind, name }) => !begun.has(`${kind}/${name}`))];
  return runPods(session, { owned, workloads, live: others, liveWorkloads });
}

function configurePod({ cli, store }: ApplySession, pod: ManifestObject<StoredPod>): string {
  return `pod/${pod.object.metadata.name} ${configureObject(store, pod, { isDryRun: false, warn: cli.warn })}`;
}

function isWaiting({ goal, timeoutMs, command }: ApplyPlan): boolean {
  return goal !== undefined || timeoutMs !== undefined || command !== undefined;
}

/** Tells that Pods of another process keep running when this `apply` ends. */
function warnOfForeignPods({ store, view }: ApplySession, others: readonly StoredPod[]): void {
  for (const { metadata } of others) {
    const owner = store.ownerOf(metadata.namespace, metadata.name);
    const process_ = owner === undefined ? 'another podrun' : store.describeOwner(owner);
    view.note(`pod/${metadata.name} belongs to ${process_} and keeps running when this apply ends`);
  }
}

/** Removes ended Pods except the newest, and names them. Does so in each namespace of this run. */
async function keepNewest({ cli, store }: ApplySession, pods: readonly StoredPod[], keep: number): Promise<void> {
  const onRemoved = ({ name }: { readonly name: string }): void => cli.note(`pod "${name}" deleted (--keep ${keep})`);
  for (const namespace of new Set(pods.map(({ metadata }) => metadata.namespace))) {
    await removePods({ store, clock: cli.clock, namespace, keep, dryRun: false, onRemoved });
  }
}

/** Warns of flags without effect: the process that runs a Pod or workload has its own settings. */
function warnOfIdleFlags({ flags, plan: { crashLoop, jobBackOff }, view }: ApplySession): void {
  const given = [
    ...(flags.image.length > 0 ? ['--image'] : []),
    ...(flags.config === undefined ? [] : ['--config']),
    ...(flags.runtime === undefined ? [] : ['--runtime']),
    ...(flags.images === undefined ? [] : ['--images']),
    ...(flags.imageCredentialProviderConfig === undefined ? [] : ['--image-credential-provider-config']),
    ...(flags.enforceMemory === undefined ? [] : ['--enforce-memory']),
    ...(flags.network === undefined ? [] : ['--network']),
    ...changedLimits('--backoff', crashLoop, CRASH_LOOP),
    ...changedLimits('--job-backoff', jobBackOff, JOB_BACKOFF),
  ];
  if (given.length > 0) view.trouble(`these flags have no effect on running Pods: ${given.join(', ')}`);
}

function changedLimits(flag: string, given: BackOffLimits, usual: BackOffLimits): string[] {
  return [
    ...(given.initialMs === usual.initialMs ? [] : [`${flag}-initial`]),
    ...(given.maxMs === usual.maxMs ? [] : [`${flag}-max`]),
  ];
}
