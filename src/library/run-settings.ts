import path from 'node:path';
import type { ConfigFile } from '../settings/config/config-file.ts';
import { splitWords } from '../settings/config/split-words.ts';
import { type AgentSettings, nodeSettings, workFolders } from '../settings/agent-settings.ts';
import type { ChosenRuntime } from '../engine/setup/choose-runtime.ts';
import { chooseNetworks } from '../network/node/private-networks.ts';
import { usage } from '../api/errors.ts';
import type { KubeObject } from '../api/objects.ts';
import type { SystemClock } from '../clock.ts';
import { JOB_BACKOFF } from '../controllers/index.ts';
import type { ImageMapping } from '../lifecycle/environment/entry-point.ts';
import { CRASH_LOOP } from '../lifecycle/plan/back-off.ts';
import { DEFAULT_NETWORK, type NetworkChoice } from '../machine/network-choice.ts';
import { durationMs } from './options.ts';
import type { StateFolder } from './state-folder.ts';
import type { ImageProgram, RunOptions } from './types.ts';

/** Everything that is read and checked before a state folder is opened. */
export interface CheckedRun {
  readonly options: RunOptions;
  readonly clock: SystemClock;
  readonly cwd: string;
  readonly config: ConfigFile | undefined;
  readonly warn: (text: string) => void;
  readonly warnings: readonly string[];
}

/** The network of a run, as the options or podrun.yaml name it. */
export function networkChoice({ options, config }: Pick<CheckedRun, 'options' | 'config'>): NetworkChoice {
  return options.network ?? config?.network ?? DEFAULT_NETWORK;
}

/**
 * Chooses the networks of Pods for these objects. Tells which, and why.
 * @param reason a reason for a cluster that the objects do not tell
 */
export async function networksFor(
  prepared: CheckedRun,
  { features }: ChosenRuntime,
  store: StateFolder['store'],
  manifests: ReadonlyArray<{ readonly object: object }>,
  reason?: string,
): Promise<AgentSettings['privateNetworks']> {
  const { options, clock, warn } = prepared;
  const { networks, note } = await chooseNetworks(
    {
      choice: networkChoice(prepared),
      proxy: options.proxy ?? prepared.config?.proxy ?? 'node',
      hasHostAccess: options.networkHostAccess ?? true,
      hasNamespaces: features.tier === 'namespace',
      objects: manifests.map(({ object }) => object as KubeObject),
      reason,
    },
    { stateDir: store.root, clock, userPath: process.env['PATH'] },
  );
  if (note !== undefined) warn(note);
  return networks;
}

/** The settings of the agent of a run. */
export function settingsOfRun(
  { options, config, cwd }: CheckedRun,
  chosen: ChosenRuntime,
  privateNetworks: AgentSettings['privateNetworks'],
): AgentSettings {
  const { backoff = {}, jobBackoff = {}, images = {} } = options;
  return {
    ...nodeSettings(config),
    imageSource: options.imageSource ?? config?.imageSource ?? 'host',
    images: { commandLine: imageMappings(images, cwd), configFile: config?.images ?? [] },
    crashLoop: {
      initialMs: durationMs(backoff.initial) ?? CRASH_LOOP.initialMs,
      maxMs: durationMs(backoff.max) ?? CRASH_LOOP.maxMs,
    },
    jobBackOff: {
      initialMs: durationMs(jobBackoff.initial) ?? JOB_BACKOFF.initialMs,
      maxMs: durationMs(jobBackoff.max) ?? JOB_BACKOFF.maxMs,
    },
    features: chosen.features,
    privateNetworks,
    pollsMemory: options.enforceMemory === 'poll',
    sharedFolders: options.isolate === true ? [] : workFolders(cwd),
    strictPid1: options.strictPid1 ?? false,
    ingressPorts: options.ingressPorts,
    isBestEffort: options.bestEffort ?? false,
    hostEnv: { ...process.env },
    cwd,
  };
}

/**
 * Reads the option `images`.
 * @param cwd folder that relative paths start from
 * @throws {PodrunError} (usage) for a command that cannot be split into words
 */
function imageMappings(images: NonNullable<RunOptions['images']>, cwd: string): ImageMapping[] {
  return Object.entries(images).map(([pattern, program]) => {
    const { command, args, env = {}, workingDir } = programOf(program);
    return {
      pattern,
      command: command === undefined ? undefined : wordsOf(pattern, command),
      args,
      env,
      workingDir: workingDir === undefined ? undefined : path.resolve(cwd, workingDir),
      folder: undefined,
    };
  });
}

function programOf(program: string | readonly string[] | ImageProgram): ImageProgram {
  return typeof program === 'string' || Array.isArray(program)
    ? { command: program as string | readonly string[] }
    : (program as ImageProgram);
}

function wordsOf(pattern: string, command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command;
  const outcome = splitWords(command);
  if (outcome.ok) return outcome.words;
  throw usage(`option images of run(): the command of ${JSON.stringify(pattern)} ${outcome.problem}`);
}
