import { existsSync } from 'node:fs';
import { askedIngressPorts } from '../../network/ingress/ingress-ports.ts';
import { removePods } from '../../apiserver/deletion/collect-garbage.ts';
import { type ConfigFile, readConfigFile } from '../../settings/config/config-file.ts';
import { readCredentialProviders } from '../../settings/config/credential-providers.ts';
import { imageSource } from '../../settings/config/image-source.ts';
import { makeImageMap } from '../../settings/config/image-map.ts';
import { podRoot } from '../../lifecycle/requests/root.ts';
import { EXIT } from '../../api/errors.ts';
import type { Faults } from '../../kubelet/faults.ts';
import { machineClock } from '../../clock.ts';
import type { StoredPod } from '../../api/objects.ts';
import { beginRuns, undoRuns } from '../../engine/begin-runs.ts';
import { beginWorkloads } from '../../engine/begin-workloads.ts';
import { hasLiveController, type WorkloadKey } from '../../apiserver/live-controller.ts';
import { checkChanges } from '../../apiserver/check-changes.ts';
import { nodeSettings, workFolders } from '../../settings/agent-settings.ts';
import { chooseRuntime, runtimeChoice } from '../../engine/setup/choose-runtime.ts';
import { configureObject } from '../../apiserver/configure-object.ts';
import { hasLiveOwner, refuseSilentOwners } from '../../engine/foreign-pods.ts';
import type { ManifestObject } from '../../manifest/manifest-object.ts';
import { sharedClusterPaths } from '../../store/layout.ts';
import { type PlannedPod, plannedPods } from '../../engine/setup/planned-pods.ts';
import {
  BESIDE_OTHERS,
  type ChosenNetworks,
  chooseNetworks,
  type NetworkRequest,
} from '../../network/node/private-networks.ts';
import { refuseApiServer } from '../../engine/setup/refuse-api-server.ts';
import { hasApiServer, isApiServer } from '../../apiserver/services/service-facts.ts';
import { refuseSecurity } from '../../engine/setup/refuse-security.ts';
import { separateObjects } from '../../apiserver/separate-objects.ts';
import { DEFAULT_NETWORK, hasOwnNetworks } from '../../machine/network-choice.ts';
import { recordOf } from '../../apiserver/store-record.ts';
import { endedJob, storeWorkload, workloadKey } from '../../apiserver/store-workload.ts';
import { keepRecord } from '../../apiserver/keep-record.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { Cli } from '../cli.ts';
import { calledCommand, openStore } from '../environment.ts';
import { ApplyExpectations } from '../history/apply-expectations.ts';
import { prepareReportFolder } from '../report/report-folder.ts';
import { openView } from '../view/open-view.ts';
import { serviceKeys } from '../../apiserver/services/unserved.ts';
import { awaitServing, reserveServices } from './apply-services.ts';
import { applyDetached } from './apply-detached.ts';
import { checkLimits } from './check-limits.ts';
import { dryRunApply } from './apply-dry-run.ts';
import type { ApplyFlags } from './apply-flags.ts';
import { type ApplyPlan, planApply, refuseIdleGoal } from './apply-input.ts';
import { warnOfIdleFlags } from './idle-flags.ts';
import { loadOrExplain, type StandardInput } from './manifest-input.ts';
import { openReport } from './follow-run.ts';
import { runPods } from './run-pods.ts';
import type { ApplySession, FollowManifests } from './session.ts';
import { holdSignals } from './signals.ts';

/** The parts that only some runs have. */
export interface MoreOfRun {
  /** Follows the manifests while the run lasts. */
  readonly follow?: FollowManifests | undefined;
  /** Faults on purpose. `check` throws a PodrunError (usage) for a fault that this run cannot have. */
  readonly faults?: (Faults & { check(planned: readonly PlannedPod[], network: string): void }) | undefined;
}

/**
 * Runs `podrun apply`. Answers the exit code.
 * @param stdin the manifests for `-`, when another verb has read standard input already
 * @param more the parts that only some runs have
 */
export async function apply(
  cli: Cli,
  flags: ApplyFlags,
  command: readonly string[] | undefined,
  stdin?: StandardInput,
  { follow, faults }: MoreOfRun = {},
): Promise<number> {
  const { clock, env } = cli;
  const plan = planApply(flags, command);
  const config = readConfigFile({ path: flags.config, cwd: process.cwd() });
  const store = openStore(cli);
  const choice = runtimeChoice({ flag: flags.runtime, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const place = { stateDir: store.root, clock: machineClock(clock), userPath: env['PATH'] };
  // --strict refuses fields without effect, so it waits until the features of this machine are known.
  const isAsked = flags.strict && flags.dryRun === 'none';
  const features = isAsked ? (await chooseRuntime(choice, place)).features : undefined;
  const network = flags.network ?? config?.network ?? DEFAULT_NETWORK;
  const isolation = { hasNamespaces: (features?.tier ?? choice) !== 'process', hasPodNetwork: hasOwnNetworks(network) };
  const loaded = await loadOrExplain(cli, flags, isolation, stdin);
  if (!loaded.ok) return loaded.exitCode;
  if (flags.dryRun !== 'none') return dryRunApply(cli, loaded.objects, flags);
  if (flags.report !== undefined) prepareReportFolder(flags.report);
  const { pods, records, workloads } = separateObjects(loaded.objects);
  const objects = loaded.objects.map(({ object }) => object);
  const applied = pods.map(({ object }) => object);
  refuseIdleGoal(plan, flags.until, [...pods, ...workloads]);
  const expected = await expectationsOf(flags, applied);
  const images = makeImageMap(flags.image, config);
  const live = pods.filter(({ object }) => hasLiveOwner(store, object));
  const own = pods.filter((pod) => !live.includes(pod));
  const resting = workloads.filter((manifest) => !hasLiveController(store, workloadKey(manifest)));
  const isIdle = own.length === 0 && resting.length === 0 && flags.staticPods === undefined;
  const planned = plannedPods([...own, ...resting]);
  refuseSilentOwners(store, live);
  if (features !== undefined) refuseSecurity(planned, features);
  if (isAsked && !hasApiServer(store) && !objects.some(isApiServer)) refuseApiServer(planned);
  const elsewhere = await checkLimits(cli, planned, flags, config);
  if (elsewhere !== undefined) return elsewhere;
  // Detecting the runtime takes time: it goes on while Pods start, unless they may be refused for lack of namespaces.
  const runtime = chooseRuntime(isIdle ? 'process' : choice, place);
  if (choice === 'namespace') await runtime;
  const asked = { choice: network, proxy: flags.proxy ?? config?.proxy ?? 'node', ...isolation, objects };
  const { networks, note } = isIdle ? NO_NETWORKS : await networksOf(asked, flags, place);
  faults?.check(planned, networks?.kind ?? 'host');
  const view = await openView({ cli, flags }, { pods, workloads });
  if (note !== undefined) cli.note(note);
  const settings = { ...settingsOfFlags(cli, flags, plan, config), images, privateNetworks: networks };
  const found = { services: serviceKeys(records), planned, expected };
  const shown = { cli, flags, plan, store, view, settings, config, runtime, faults, ...found };
  const session: ApplySession = {
    ...shown,
    follow: follow && ((running) => follow(session, { objects: loaded.objects, isolation, running })),
  };
  try {
    checkChanges(store, [...changedRecords(store, [...records, ...workloads]), ...live], cli.warn);
    await keepOnRecord(session, records, flags.detach ? [] : [...own, ...resting]);
    if (pods.length === 0 && workloads.length === 0 && flags.staticPods === undefined) return EXIT.ok;
    const exitCode = await applyPods(session, { live, own, ...(await applyWorkloads(session, workloads)) });
    const checked = expected?.check(cli, store, exitCode) ?? exitCode;
    if (flags.keep !== undefined) await keepNewest(session, applied, flags.keep);
    return checked;
  } finally {
    // The detection tries namespaces: it must end, so that nothing of a trial is left.
    await runtime;
    view.close();
  }
}

/** The networks of a run without Pods of its own. */
const NO_NETWORKS: ChosenNetworks = { networks: undefined, note: undefined };

function networksOf(
  asked: Pick<NetworkRequest, 'choice' | 'proxy' | 'hasNamespaces' | 'objects'>,
  { egress, networkHostAccess: hasHostAccess, detach }: ApplyFlags,
  place: Parameters<typeof chooseNetworks>[1],
): Promise<ChosenNetworks> {
  const joinsCluster = detach && existsSync(sharedClusterPaths(place.stateDir).holder);
  const reason = joinsCluster ? BESIDE_OTHERS : undefined;
  return chooseNetworks({ ...asked, egress, hasHostAccess, reason }, place);
}

/** The settings of the agent that flags and podrun.yaml decide alone. */
function settingsOfFlags(
  { env }: Cli,
  flags: ApplyFlags,
  { crashLoop, jobBackOff }: ApplyPlan,
  config: ConfigFile | undefined,
): Omit<ApplySession['settings'], 'images' | 'privateNetworks'> {
  const cwd = process.cwd();
  const node = nodeSettings(config);
  const providers = readCredentialProviders(flags, cwd);
  return {
    ...node,
    imageSettings: { ...node.imageSettings, providers },
    imageSource: imageSource({ flag: flags.images, variable: env['PODRUN_IMAGES'], file: config?.imageSource }),
    crashLoop,
    jobBackOff,
    pollsMemory: flags.enforceMemory === 'poll',
    sharedFolders: flags.isolate ? [] : workFolders(cwd),
    strictPid1: flags.strictPid1,
    ingressPorts: askedIngressPorts(flags.ingressPort, config?.ingressPort),
    isBestEffort: flags.bestEffort,
    speed: flags.speed,
    awaitsClient: flags.awaitsClient === true,
    hostEnv: env,
    cwd,
  };
}

/** Reads the file of `--expect`. A mistake in the file is an error before anything starts. */
async function expectationsOf(
  { expect }: ApplyFlags,
  pods: readonly StoredPod[],
): Promise<ApplyExpectations | undefined> {
  if (expect === undefined) return undefined;
  return ApplyExpectations.read(expect, pods);
}

/**
 * Stores objects, and prints their lines when their Services are served.
 * @param run the Pods and workloads that this process is about to run
 */
async function keepOnRecord(
  session: ApplySession,
  records: readonly ManifestObject[],
  run: readonly ManifestObject[],
): Promise<void> {
  const foreign = reserveServices(session, records, run);
  const lines: string[] = [];
  try {
    for (const record of records) lines.push(keepOneOnRecord(session, record));
    await awaitServing(session, foreign);
  } finally {
    for (const line of lines) session.view.note(line);
  }
}

function keepOneOnRecord({ cli, flags, store, view }: ApplySession, record: ManifestObject): string {
  return keepRecord(record, {
    store,
    clock: cli.clock,
    made: flags.made,
    warn: cli.warn,
    trouble: (text) => view.trouble(text),
  });
}

/** The records that exist and stay. */
function changedRecords(store: FileStore, records: readonly ManifestObject[]): ManifestObject[] {
  return records.filter((record) => recordOf(store, record) !== undefined && endedJob(store, record) === undefined);
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
