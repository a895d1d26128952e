import { EXIT, type StoredPod } from '../../api/index.ts';
import {
  checkChanges,
  closeLostRuns,
  configureObject,
  removePods,
  servedUrls,
  workloadKey,
  type WorkloadKey,
} from '../../apiserver/index.ts';
import { JOB_BACKOFF, runGoalText } from '../../controllers/index.ts';
import {
  idleFields,
  type PlannedPod,
  type RunInput,
  type SortedObjects,
  startAgent,
  storeObjects,
} from '../../engine/index.ts';
import { type BackOffLimits, CRASH_LOOP } from '../../lifecycle/index.ts';
import { adviseRecursion, type ManifestObject } from '../../manifest/index.ts';
import { withoutEffectText } from '../../print/index.ts';
import { localProcesses } from '../../runtime/index.ts';
import { BackgroundAgents } from '../../store/index.ts';
import { calledCommand } from '../base/environment.ts';
import type { ApplyExpectations } from '../history/expectations.ts';
import type { RunApi } from './api-beside.ts';
import { declareNodes } from '../../settings/index.ts';
import { isWaiting, runPods, settingsOf, tellOfFirstPull } from './run-pods.ts';
import type { ApplySession } from './session.ts';

/** Manifests that may run. */
export interface CheckedManifests extends SortedObjects {
  /** The expectations of `--expect`. */
  readonly expected: ApplyExpectations | undefined;
  /** The Pods that this run starts, and one for each workload that it starts. */
  readonly planned: readonly PlannedPod[];
}

/** Stores the objects, runs what is to run, and waits for the goal. Returns the exit code. */
export async function storeAndRun(session: ApplySession, checked: CheckedManifests): Promise<number> {
  const { cli, flags, settings, store, view } = session;
  const { own, ownWorkloads } = checked;
  // A conflict is reported before anything is stored.
  if (settings.nodes !== undefined && settings.nodes.length > 0) declareNodes(store, settings.nodes);
  const note = (text: string): void => view.note(text);
  const run = {
    store,
    clock: cli.clock,
    command: calledCommand(cli),
    hasNetworks: settings.privateNetworks !== undefined,
    made: flags.made,
    warn: cli.warn,
    trouble: (text: string) => view.trouble(text),
    note,
    replaced: note,
  };
  const keep: KeepObjects = (part) => storeObjects(run, part, flags.detach ? [] : [...own, ...ownWorkloads]);
  const early = isInBackground(session, checked) ? await runEarlyHooks(session, checked, keep) : undefined;
  if (early === undefined) return runStored(session, checked, keep);
  if (early.exitCode !== EXIT.ok) return early.exitCode;
  try {
    return await runStored(early.session, { ...checked, records: early.records }, keep);
  } finally {
    await early.session.api?.close();
  }
}

/** Stores objects of a run, but no Pods. */
type KeepObjects = (part: SortedObjects) => Promise<void>;

/** True when a background agent runs the objects. Without Pods, none has to stay. */
function isInBackground({ flags }: ApplySession, { own, ownWorkloads }: SortedObjects): boolean {
  return flags.detach && own.length + ownWorkloads.length > 0;
}

async function runStored(session: ApplySession, checked: CheckedManifests, keep: KeepObjects): Promise<number> {
  const { cli, flags, store, expected, api, loose } = session;
  const { pods, workloads } = checked;
  const openApi = api === undefined || isInBackground(session, checked) ? undefined : apiOpener(api, checked, keep);
  if (openApi === undefined) await keep(checked);
  if (openApi === undefined) loose?.warnings.forEach(cli.warn);
  const isIdle = pods.length === 0 && workloads.length === 0 && flags.staticPods === undefined;
  if (isIdle && !flags.recursive)
    flags.filename.flatMap((name) => adviseRecursion(name, cli.pathOf) ?? []).forEach(cli.warn);
  const isDone = isIdle && session.plan.command === undefined && session.plan.goal === undefined;
  if (isDone && api === undefined) return EXIT.ok;
  const ran = await (flags.detach && openApi === undefined
    ? runInBackground(session, checked)
    : runHere(session, checked, openApi));
  const exitCode = api?.judge(ran) ?? ran;
  const judged = expected?.check(cli, store, exitCode) ?? exitCode;
  if (flags.keep !== undefined) {
    const applied = pods.map(({ object }) => object);
    await keepNewest(session, applied, flags.keep);
  }
  return judged;
}

/** Opens the API server of a run, and stores namespaces, definitions, roles and the rest, but no Pods. */
function apiOpener(api: RunApi, checked: SortedObjects, keep: KeepObjects): NonNullable<RunInput['openApi']> {
  const { namespaces, rest } = withoutNamespaces(checked);
  return async (node) => {
    await api.open(node);
    if (namespaces.length > 0) await keep({ ...NOTHING, records: namespaces });
    await api.applyFirst();
    await keep(rest);
  };
}

/** A run in the background after the hooks that come before it. */
interface AfterHooks {
  /** The exit code of the hooks. */
  readonly exitCode: number;
  readonly session: ApplySession;
  /** The records that are left to store. */
  readonly records: SortedObjects['records'];
}

/**
 * Runs the hooks that come before a run in the background here, in a run of their own. Workloads among them move to the
 * agent. Undefined: there are no such hooks.
 */
async function runEarlyHooks(
  session: ApplySession,
  checked: SortedObjects,
  keep: KeepObjects,
): Promise<AfterHooks | undefined> {
  const apart = session.api?.apart();
  if (apart === undefined) return undefined;
  const { before, after } = apart;
  const { namespaces, rest } = withoutNamespaces(checked);
  const plan = { ...session.plan, goal: undefined, timeoutMs: undefined, command: undefined };
  const own = { ...session, plan, api: before, planned: [] };
  const openApi = apiOpener(before, { ...NOTHING, records: namespaces }, keep);
  const exitCode = await runEarly(own, before, openApi);
  return {
    exitCode: before.judge(exitCode),
    session: { ...session, api: after, earlyWorkloads: before.earlyWorkloads },
    records: rest.records,
  };
}

async function runEarly(
  session: ApplySession,
  api: RunApi,
  openApi: NonNullable<RunInput['openApi']>,
): Promise<number> {
  const noForeignWork = { live: [], liveWorkloads: [] };
  try {
    return await runPods(session, { pods: [], workloads: [], services: [] }, () => noForeignWork, openApi);
  } finally {
    await api.close();
  }
}

function withoutNamespaces(objects: SortedObjects): {
  readonly namespaces: SortedObjects['records'];
  readonly rest: SortedObjects;
} {
  const isNamespace = ({ object }: ManifestObject): boolean => object.kind === 'Namespace';
  const { records } = objects;
  const rest = { ...objects, records: records.filter((record) => !isNamespace(record)) };
  return { namespaces: records.filter(isNamespace), rest };
}

const NOTHING: SortedObjects = {
  pods: [],
  records: [],
  workloads: [],
  live: [],
  own: [],
  liveWorkloads: [],
  ownWorkloads: [],
};

/** Passes the Pods to a background agent, and changes the Pods that run already. */
function runInBackground(session: ApplySession, sorted: SortedObjects): Promise<number> {
  return applyDetached(session, sorted, (pods) => {
    for (const pod of pods) session.view.note(configurePod(session, pod));
    if (pods.length > 0 || sorted.liveWorkloads.length > 0) warnOfIdleFlags(session);
  });
}

/** Runs the Pods in this process, and changes and waits for the Pods that run already. */
function runHere(
  session: ApplySession,
  { own, live, ownWorkloads, liveWorkloads }: SortedObjects,
  openApi: RunInput['openApi'],
): Promise<number> {
  const { cli, flags, plan, store, view } = session;
  const keys = ownWorkloads.map(workloadKey);
  return runPods(
    session,
    { pods: own, workloads: keys, services: session.services, isRolling: flags.rolling },
    ({ owned, workloads, foreign }) => {
      if (openApi !== undefined) session.loose?.warnings.forEach(cli.warn);
      checkChanges(store, foreign, cli.warn);
      const isOwnRun = owned.length > 0 || workloads.length > 0 || flags.staticPods !== undefined;
      if (!isOwnRun && session.follow === undefined) view.runsNothing?.();
      for (const pod of [...live, ...foreign]) view.note(configurePod(session, pod));
      const others = [...live, ...foreign].flatMap(({ object: { metadata } }) => {
        return store.get<StoredPod>('pods', metadata.namespace, metadata.name) ?? [];
      });
      if (others.length > 0 || liveWorkloads.length > 0) warnOfIdleFlags(session);
      if (isOwnRun || isWaiting(plan) || session.follow !== undefined) warnOfForeignPods(session, others);
      const begun = new Set(workloads.map(({ object }) => `${object.kind}/${object.metadata.name}`));
      const taken = keys.filter(({ kind, name }) => !begun.has(`${kind}/${name}`));
      return { live: others, liveWorkloads: [...liveWorkloads.map(workloadKey), ...taken] };
    },
    openApi,
  );
}

function configurePod({ cli, store }: ApplySession, pod: ManifestObject<StoredPod>): string {
  return `pod/${pod.object.metadata.name} ${configureObject(store, pod, { isDryRun: false, warn: cli.warn })}`;
}

/** Tells that Pods of another process keep running when this `apply` ends. */
function warnOfForeignPods({ store, view }: ApplySession, others: readonly StoredPod[]): void {
  for (const { metadata } of others) {
    const owner = store.owners.of(metadata.namespace, metadata.name);
    const process_ = owner === undefined ? 'another podrun' : store.owners.describe(owner);
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

/**
 * Passes Pods to a background agent, and prints the lines of kubectl. Waits only with --wait, --until, --timeout or a
 * COMMAND.
 * @param configure changes Pods that run already, and prints the effect
 */
async function applyDetached(
  session: ApplySession,
  { live, own, ownWorkloads, liveWorkloads }: SortedObjects,
  configure: (pods: readonly ManifestObject<StoredPod>[]) => void,
): Promise<number> {
  const { cli, flags, store, view, plan, api } = session;
  await closeLostRuns(store, cli.clock, (text) => view.trouble(text));
  const workloads = [...(session.earlyWorkloads ?? []), ...ownWorkloads.map(workloadKey)];
  const agents = new BackgroundAgents(store.root, localProcesses);
  const settings = await settingsOf(session);
  tellOfFirstPull(session, settings);
  // In the foreground, the view shows the events.
  for (const { kind, name, messages } of idleFields(session.planned, settings, store)) {
    cli.warn(`${kind.toLowerCase()}/${name}: ${withoutEffectText(messages)}`);
  }
  const assigned = { pods: own, workloads, services: session.services, isRolling: flags.rolling, served: api?.first };
  const { owned, foreign, stored, warnings, refused } =
    own.length === 0 && workloads.length === 0
      ? { owned: [], foreign: [], stored: [], warnings: [], refused: [] }
      : await startAgent(
          agents,
          { ...settings, hasApi: api !== undefined },
          { ...assigned, command: calledCommand(cli) },
          cli.podrun,
        );
  for (const line of stored) view.note(line);
  for (const text of warnings) cli.warn(text);
  await api?.meet(refused);
  for (const pod of owned) {
    if (session.flags.output === 'json') view.pod({ type: 'ADDED', object: pod });
    else view.note(`pod/${pod.metadata.name} ${session.flags.made ?? 'created'}`);
  }
  checkChanges(store, foreign, cli.warn);
  const others = [...live, ...foreign];
  configure(others);
  for (const { object } of others) warnOfForegroundOwner(session, object);
  if (plan.goal === undefined && plan.command === undefined) {
    await api?.applyCustom();
    await api?.runHooks();
    await api?.settled();
    return EXIT.ok;
  }
  const all = [...owned, ...others.map(({ object }) => object)];
  const present = all.flatMap(({ metadata }) => {
    return store.get<StoredPod>('pods', metadata.namespace, metadata.name) ?? [];
  });
  // settingsOf has warned of the requests of these Pods already.
  const awaited = [...workloads, ...liveWorkloads.map(workloadKey)];
  const exitCode = await runPods({ ...session, planned: [] }, { pods: [], workloads: [] }, () => ({
    live: present,
    liveWorkloads: awaited,
  }));
  if (exitCode === EXIT.ok && plan.command === undefined) tellReached(session, present, awaited);
  return exitCode;
}

/** Prints that the goal is reached, and where Services and Ingresses are. */
function tellReached(
  { flags, plan, served, store, view }: ApplySession,
  pods: readonly StoredPod[],
  workloads: readonly WorkloadKey[],
): void {
  if (plan.goal === undefined || flags.output === 'json') return;
  const reached = runGoalText(plan.goal).toLowerCase();
  for (const { metadata } of pods) view.note(`pod/${metadata.name} ${reached}`);
  for (const { kind, name } of workloads) view.note(`${kind.toLowerCase()}/${name} ${reached}`);
  for (const { kind, namespace, name } of served) {
    const urls = servedUrls(store, namespace).filter((one) => one.kind === kind && one.name === name);
    for (const { url } of urls) view.note(`${kind.toLowerCase()}/${name} ${url}`);
  }
}

/** Warns that the Pod ends together with the process that runs it. */
function warnOfForegroundOwner({ store, view }: ApplySession, { metadata: { namespace, name } }: StoredPod): void {
  const owner = store.owners.of(namespace, name);
  if (owner === undefined || owner.agent !== undefined) return;
  view.trouble(`pod/${name} runs in the foreground of ${store.owners.describe(owner)} and ends with that process`);
}
