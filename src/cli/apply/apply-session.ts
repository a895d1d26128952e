import { existsSync } from 'node:fs';
import { type ConfigFile, readConfigFile } from '../../settings/index.ts';
import type { Faults } from '../../kubelet/index.ts';
import { machineClock } from '../../clock.ts';
import { hasLiveController, serviceKeys, workloadKey } from '../../apiserver/index.ts';
import {
  chooseRuntime,
  type DetectionInput,
  hasLiveOwner,
  limitsRefused,
  networkOf,
  openLimits,
  type PlannedPod,
  plannedPods,
  refuseSilentOwners,
  refuseWithoutEffect,
  type RunChoices,
  runNetworks,
  runSettings,
  runtimeChoice,
} from '../../engine/index.ts';
import type { Isolation, ManifestObject } from '../../manifest/index.ts';
import { type FileStore, sharedClusterPaths } from '../../store/index.ts';
import { BESIDE_OTHERS, type ChosenNetworks } from '../../network/index.ts';
import { hasOwnNetworks, type RuntimeChoice } from '../../machine/index.ts';
import { runInScope, type RuntimeFeatures } from '../../runtime/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { openView } from '../view/open-view.ts';
import { dryRunApply } from './apply-dry-run.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { type ApplyPlan, choicesOfFlags, planApply } from './apply-input.ts';
import { type LoadedInput, loadOrExplain, manifestsToRun, type StandardInput } from './manifest-input.ts';
import type { ApplySession, FollowManifests } from './session.ts';
import { type CheckedManifests, storeAndRun } from './store-and-run.ts';
import { listenForSignals } from '../base/signals.ts';

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
  more: MoreOfRun = {},
): Promise<number> {
  const read = await readManifests(cli, flags, command, stdin);
  if (!read.ok) return read.exitCode;
  if (flags.dryRun !== 'none') return dryRunApply(cli, read.objects, flags);
  const checked = { ...read, ...(await checkManifests(cli, flags, read)) };
  const exitCode = await checkLimits(cli, checked.planned, flags, read.config);
  return exitCode ?? runChecked(cli, flags, checked, more);
}

/** The manifests of an `apply`, with all that decides how they are read. */
interface ReadManifests {
  readonly ok: true;
  readonly plan: ApplyPlan;
  readonly config: ConfigFile | undefined;
  readonly store: FileStore;
  readonly choice: RuntimeChoice;
  readonly place: DetectionInput;
  /** Undefined: they are not needed yet. */
  readonly features: RuntimeFeatures | undefined;
  readonly isolation: Isolation & { readonly hasNamespaces: boolean };
  readonly objects: readonly ManifestObject[];
}

/** Reads flags, podrun.yaml and manifests. Prints all mistakes. */
async function readManifests(
  cli: Cli,
  flags: ApplyFlags,
  command: readonly string[] | undefined,
  stdin: StandardInput | undefined,
): Promise<ReadManifests | Extract<LoadedInput, { ok: false }>> {
  const { clock, env } = cli;
  const plan = planApply(flags, command);
  const config = readConfigFile({ path: flags.config, cwd: process.cwd() });
  const store = openStore(cli);
  const choice = runtimeChoice({ flag: flags.runtime, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const place = { stateDir: store.root, clock: machineClock(clock), userPath: env['PATH'] };
  // --strict refuses fields without effect, so it waits until the features of this machine are known.
  const refusesWithoutEffect = flags.strict && flags.dryRun === 'none';
  const features = refusesWithoutEffect ? (await chooseRuntime(choice, place)).features : undefined;
  const network = networkOf({ network: flags.network, config });
  const isolation = { hasNamespaces: (features?.tier ?? choice) !== 'process', hasPodNetwork: hasOwnNetworks(network) };
  const loaded = await loadOrExplain(cli, flags, isolation, stdin);
  return loaded.ok ? { plan, config, store, choice, place, features, isolation, ...loaded } : loaded;
}

/** Refuses, before anything is stored, what cannot run as the flags ask. */
async function checkManifests(
  cli: Cli,
  flags: ApplyFlags,
  { plan, config, store, features, objects }: ReadManifests,
): Promise<CheckedManifests & { readonly choices: RunChoices }> {
  const toRun = await manifestsToRun(flags, plan, objects);
  const { pods, workloads } = toRun;
  const choices = choicesOfFlags(cli, flags, config);
  const live = pods.filter(({ object }) => hasLiveOwner(store, object));
  const own = pods.filter((pod) => !live.includes(pod));
  const resting = [...own, ...workloads.filter((manifest) => !hasLiveController(store, workloadKey(manifest)))];
  const planned = plannedPods(resting);
  refuseSilentOwners(store, live);
  const all = objects.map(({ object }) => object);
  if (features !== undefined) refuseWithoutEffect(planned, { store, features, objects: all });
  return { ...toRun, choices, live, own, planned, resting };
}

/** Finds out how this machine runs them, and opens the view. Answers the exit code. */
async function runChecked(
  cli: Cli,
  flags: ApplyFlags,
  checked: ReadManifests & CheckedManifests & { readonly choices: RunChoices },
  { follow, faults }: MoreOfRun,
): Promise<number> {
  const { plan, config, store, choice, place, choices, pods, records, workloads, planned, expected } = checked;
  const isIdle = checked.resting.length === 0 && flags.staticPods === undefined;
  // Detecting the runtime takes time: it goes on while Pods start, unless they may be refused for lack of namespaces.
  const runtime = chooseRuntime(isIdle ? 'process' : choice, place);
  if (choice === 'namespace') await runtime;
  const { networks, note } = isIdle ? NO_NETWORKS : await networksOf(flags, checked);
  faults?.check(planned, networks?.kind ?? 'host');
  const view = await openView({ cli, flags }, { pods, workloads });
  if (note !== undefined) cli.note(note);
  const { crashLoop, jobBackOff } = plan;
  const settings = { ...runSettings({ ...choices, crashLoop, jobBackOff }), privateNetworks: networks };
  const shown = { cli, flags, plan, store, view, settings, config, runtime, faults };
  const session: ApplySession = {
    ...shown,
    services: serviceKeys(records),
    planned,
    expected,
    follow: follow && ((running) => follow(session, { ...checked, running })),
  };
  try {
    return await storeAndRun(session, checked);
  } finally {
    // The detection tries namespaces: it must end, so that nothing of a trial is left.
    await runtime;
    view.close();
  }
}

/** The networks of a run without Pods of its own. */
const NO_NETWORKS: ChosenNetworks = { networks: undefined, note: undefined };

function networksOf(
  { detach }: ApplyFlags,
  { choices, isolation: { hasNamespaces }, objects, place }: ReadManifests & { readonly choices: RunChoices },
): Promise<ChosenNetworks> {
  const joinsCluster = detach && existsSync(sharedClusterPaths(place.stateDir).holder);
  const reason = joinsCluster ? BESIDE_OTHERS : undefined;
  return runNetworks(choices, { hasNamespaces, objects: objects.map(({ object }) => object), reason }, place);
}

/**
 * Checks, before anything starts, that podrun can enforce the limits of the Pods. If a systemd scope permits more
 * limits, runs this `apply` again in a scope and answers its exit code.
 * @throws {PodrunError} (usage) with --strict, when a limit cannot be enforced
 */
async function checkLimits(
  cli: Cli,
  pods: readonly PlannedPod[],
  flags: ApplyFlags,
  config: ConfigFile | undefined,
): Promise<number | undefined> {
  const open = openLimits(pods, config?.podPidsLimit, flags.enforceMemory === 'poll');
  if (open === undefined) return undefined;
  const exitCode = await runInScope({
    facts: {
      isRoot: process.getuid?.() === 0,
      canLimit: open.length === 0,
      hasReadInput: flags.filename.includes('-'),
      env: cli.env,
    },
    argv: [...cli.podrun, ...cli.line.argv],
    interactive: cli.stdin.isTTY === true,
    onSignal: (forward) => void listenForSignals(cli, forward),
  });
  if (exitCode !== undefined) return exitCode;
  if (!flags.strict || open.length === 0) return undefined;
  throw limitsRefused(open);
}
