import { tellDefect } from '../defects.ts';
import { isMainThread } from 'node:worker_threads';
import { type AgentSettings, readConfigFile } from '../settings/index.ts';
import {
  type KubeObject,
  PodrunError,
  resourceTypeOf,
  type StoredPod,
  usage,
  type WatchEvent,
  type Workload,
} from '../api/index.ts';
import { nextEventLoopTurn, SystemClock } from '../clock.ts';
import {
  beginRuns,
  beginWorkloads,
  changedRecords,
  chooseRuntime,
  type ChosenRuntime,
  limitsRefused,
  networkOf,
  openLimits,
  type OwnedRun,
  type OwnedWorkload,
  plannedPods,
  refuseWithoutEffect,
  Run,
  runtimeChoice,
  storeRecords,
  undoRuns,
  unmetRequests,
} from '../engine/index.ts';
import {
  checkChanges,
  hasLiveController,
  type SeparatedObjects,
  separateObjects,
  serviceKeys,
  storeWorkload,
  workloadKey,
} from '../apiserver/index.ts';
import type { ObjectKey } from '../store/index.ts';
import { hasOwnNetworks } from '../machine/index.ts';
import { ManifestError } from './base/errors.ts';
import { LibraryPods } from './pods/library-pods.ts';
import { ListenerSet } from './pods/listener-set.ts';
import { loadSource } from './load.ts';
import { checkOptions } from './base/options.ts';
import { callListener, outputReceiver } from './output.ts';
import { type CheckedRun, settingsOfRun } from './run-settings.ts';
import { openStateFolder, type StateFolder, sweepStateFolders } from './base/state-folder.ts';
import { withLibraryErrors } from './base/library-errors.ts';
import type { ManifestSource, Pods, RunOptions } from './base/types.ts';
import { withVariables } from './variables.ts';

/** The time limit of waits: that of `kubectl wait`. */
const TIMEOUT = '30s';

/** The Pods and workloads that this process owns, and the Services of the manifests. */
interface StartedWork {
  readonly owned: readonly OwnedRun[];
  readonly workloads: readonly OwnedWorkload[];
  readonly services: readonly ObjectKey[];
}

/**
 * Runs the Pods and workloads of manifests in this process, with the lifecycle of a kubelet. Resolves when they have
 * begun; wait for more with `until`. They end with the block of `await using`, with `stop()` or `close()`, and with
 * this process, however it ends.
 *
 * @example
 * await using pods = await run('pod.yaml', { timeout: '60s' });
 * await pods.until('Ready');
 * const answer = await fetch(pods.url('http'));
 *
 * @param source a path or a `file:` URL, `{ yaml: text }`, an object, or an array of these
 * @throws {ManifestError} with all mistakes in the manifests; nothing was started
 * @throws {PodrunError} for a wrong option, or one that this machine cannot fulfil; nothing was started
 */
export function run(source: ManifestSource, options: RunOptions = {}): Promise<Pods> {
  return withLibraryErrors(() => start(source, options));
}

async function start(source: ManifestSource, options: RunOptions): Promise<Pods> {
  if (process.platform === 'win32')
    throw usage('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes');
  checkOptions(options);
  options.signal?.throwIfAborted();
  const cwd = options.cwd ?? process.cwd();
  const path = typeof options.config === 'string' ? options.config : undefined;
  const config = options.config === false ? undefined : readConfigFile({ cwd, path });
  const warnings: string[] = [];
  const warn = (text: string): void => {
    if (warnings.includes(text)) return;
    warnings.push(text);
    callListener(options.onWarning, text);
  };
  const prepared: CheckedRun = { options, clock: new SystemClock(), cwd, config, warn, warnings };
  const choice = runtimeChoice({
    flag: options.runtime,
    variable: process.env['PODRUN_RUNTIME'],
    file: config?.runtime,
  });
  const loaded = await loadSource(source, cwd, {
    namespace: options.namespace,
    refusesWithoutEffect: options.strict ?? false,
    isolation: {
      hasNamespaces: choice !== 'process',
      hasPodNetwork: hasOwnNetworks(networkOf({ network: options.network, config })),
    },
  });
  const sorted = separateObjects(loaded.objects);
  if (sorted.pods.length === 0 && sorted.workloads.length === 0) {
    throw new ManifestError('there is no Pod or workload in these manifests', []);
  }
  loaded.warnings.forEach(warn);
  const stateFolder = openStateFolder(options.stateDir, prepared.clock);
  try {
    const where = { stateDir: stateFolder.store.root, clock: prepared.clock, userPath: process.env['PATH'] };
    return await begin(prepared, sorted, stateFolder, await chooseRuntime(choice, where));
  } catch (error) {
    stateFolder.close();
    throw error;
  }
}

async function begin(
  prepared: CheckedRun,
  { pods, records, workloads }: SeparatedObjects,
  stateFolder: StateFolder,
  chosen: ChosenRuntime,
): Promise<Pods> {
  const { options, clock, config, warn } = prepared;
  const { store } = stateFolder;
  const { features } = chosen;
  const manifests = [...pods, ...records, ...workloads];
  const planned = plannedPods([...pods, ...workloads]);
  if (options.strict === true) {
    refuseWithoutEffect(planned, { store, features, objects: manifests.map(({ object }) => object as KubeObject) });
    const open = openLimits(planned, config?.podPidsLimit, options.enforceMemory === 'poll') ?? [];
    if (open.length > 0) throw limitsRefused(open);
  }
  const running = workloads.find((manifest) => hasLiveController(store, workloadKey(manifest)));
  if (running !== undefined) throw runsAlready(store, running.object as unknown as Workload);
  const lack = unmetRequests(chosen, planned);
  if (lack !== undefined) warn(lack);
  const settings = await settingsOfRun(prepared, chosen, store.root, manifests);
  checkChanges(store, changedRecords(store, [...records, ...workloads]), warn);
  const hasNetworks = settings.privateNetworks !== undefined;
  const told = { warn, trouble: warn, note: () => undefined };
  await storeRecords({ store, clock, command: 'run()', hasNetworks, ...told }, records, [...pods, ...workloads]);
  const wanted = pods.map((pod) => withVariables(pod, options.env ?? {}));
  const { owned, foreign } = await beginRuns(store, clock, wanted, { command: 'run()' });
  try {
    for (const { object } of foreign) throw runsAlready(store, object);
    options.signal?.throwIfAborted();
    for (const workload of workloads) {
      await storeWorkload(store, clock, withVariables(workload, options.env ?? {}), { warn, note: warn });
    }
    const begun = await beginWorkloads(store, clock, workloads.map(workloadKey), { command: 'run()' });
    const work = { owned, workloads: begun, services: serviceKeys(records) };
    return startAgent(prepared, stateFolder, work, settings);
  } catch (error) {
    undoRuns(store, owned);
    throw error;
  }
}

function startAgent(
  { options, clock, warn, warnings }: CheckedRun,
  stateFolder: StateFolder,
  { services, ...work }: StartedWork,
  settings: AgentSettings,
): Pods {
  const onPod = new ListenerSet<WatchEvent<StoredPod>>();
  const onChange = new ListenerSet<void>();
  const { onTransition, signal, timeout = TIMEOUT, settle, allowRestarts } = options;
  const goalRules = {
    ...(settle === undefined ? {} : { settle }),
    ...(allowRestarts === undefined ? {} : { allowRestarts }),
  };
  const output = outputReceiver(options.logs);
  const running = new Run({
    settings,
    store: stateFolder.store,
    clock,
    ...work,
    owner: { command: 'run()' },
    // A worker thread closes at its end every descriptor that it has opened. A stream may have closed a descriptor
    // before, and its number may belong to another file by then.
    pipes: isMainThread ? undefined : 'pipe',
    listener: {
      ...output,
      onPod: (event) => {
        output.onPod(event.object);
        onPod.notify(event);
        if (onTransition !== undefined) {
          callListener(onTransition, { type: event.type, pod: structuredClone(event.object) });
        }
      },
      onChange: () => onChange.notify(),
      onEvent: () => undefined,
      onTrouble: warn,
      onDefect: (defect) => {
        tellDefect(defect);
        running.terminate({ force: false });
      },
    },
  });
  const pods = new LibraryPods({
    running,
    services,
    stateFolder,
    clock,
    warnings,
    warn,
    timeout,
    goalRules,
    signal,
    onPod,
    onChange,
  });
  running.begin();
  if (signal?.aborted === true) running.terminate({ force: false });
  if (options.stateDir === undefined) nextEventLoopTurn(sweepStateFolders);
  return pods;
}

function runsAlready(store: StateFolder['store'], object: StoredPod | Workload): PodrunError {
  const { kind, metadata } = object;
  const { namespace, name } = metadata;
  const owner = store.ownerOf(namespace, name, resourceTypeOf(object).plural);
  const where = owner === undefined ? '' : ` under ${store.describeOwner(owner)}`;
  return new PodrunError(
    'AlreadyExists',
    `${kind.toLowerCase()} "${name}" runs already${where}, with the state folder ${store.root}`,
    {
      hint: 'Delete it first, or omit stateDir: then each run has its own folder.',
    },
  );
}
