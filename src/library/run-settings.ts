import path from 'node:path';
import { type AgentSettings, type ConfigFile, nodesAlike, splitWords } from '../settings/index.ts';
import { type ChosenRuntime, type RunChoices, runNetworks, runSettings } from '../engine/index.ts';
import { type KubeObject, usage } from '../api/index.ts';
import type { SystemClock } from '../clock.ts';
import { JOB_BACKOFF } from '../controllers/index.ts';
import { type BackOffLimits, CRASH_LOOP, type ImageMapping } from '../lifecycle/index.ts';
import { durationMs } from './base/options.ts';
import type { ImageProgram, RunOptions } from './base/types.ts';

/** Everything that is read and checked before a state folder is opened. */
export interface CheckedRun {
  readonly options: RunOptions;
  readonly clock: SystemClock;
  readonly cwd: string;
  readonly config: ConfigFile | undefined;
  readonly warn: (text: string) => void;
  readonly warnings: readonly string[];
}

/**
 * The choices that options and podrun.yaml make for a run.
 * @throws {PodrunError} (usage) when one of them makes no sense
 */
function choicesOfOptions({ options, config, cwd }: CheckedRun): RunChoices {
  const { backoff = {}, jobBackoff = {}, images = {} } = options;
  return {
    config,
    cwd,
    env: { ...process.env },
    images: { commandLine: imageMappings(images, cwd), configFile: config?.images ?? [] },
    imageSource: options.imageSource ?? config?.imageSource ?? 'host',
    network: options.network,
    proxy: options.proxy,
    hasHostAccess: options.networkHostAccess,
    crashLoop: limitsOf(backoff, CRASH_LOOP),
    jobBackOff: limitsOf(jobBackoff, JOB_BACKOFF),
    pollsMemory: options.enforceMemory === 'poll',
    isolates: options.isolate,
    ingressPorts: options.ingressPorts,
    nodes: typeof options.nodes === 'number' ? nodesAlike(options.nodes, 0) : options.nodes,
    overcommits: options.overcommit ?? config?.overcommit,
    seccompRoot: options.seccompRoot && path.resolve(cwd, options.seccompRoot),
    ...(options.strictPid1 !== undefined && { strictPid1: options.strictPid1 }),
    ...(options.bestEffort !== undefined && { isBestEffort: options.bestEffort }),
  };
}

function limitsOf({ initial, max }: NonNullable<RunOptions['backoff']>, usual: BackOffLimits): BackOffLimits {
  return { initialMs: durationMs(initial) ?? usual.initialMs, maxMs: durationMs(max) ?? usual.maxMs };
}

/**
 * The settings of the agent of a run with these objects. Tells which network Pods have, and why.
 * @param reason a reason for a cluster that the objects do not tell
 */
export async function settingsOfRun(
  prepared: CheckedRun,
  { features }: ChosenRuntime,
  stateDir: string,
  manifests: ReadonlyArray<{ readonly object: object }>,
  reason?: string,
): Promise<AgentSettings> {
  const choices = choicesOfOptions(prepared);
  const objects = manifests.map(({ object }) => object as KubeObject);
  const { networks, note } = await runNetworks(
    choices,
    { hasNamespaces: features.tier === 'namespace', objects, reason },
    { stateDir, clock: prepared.clock, userPath: process.env['PATH'] },
  );
  if (note !== undefined) prepared.warn(note);
  return { ...runSettings(choices), features, privateNetworks: networks };
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
