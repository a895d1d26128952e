import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { removeTree } from '../../remove-tree.ts';
import { EXIT, type StoredPod, usage } from '../../api/index.ts';
import {
  compareRuns,
  lastStateOf,
  type NamedRun,
  pairRuns,
  type RunComparison,
  type RunPair,
  type Tolerance,
} from '../../history/index.ts';
import { comparisonRecord, renderComparison } from '../../print/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { displayNowMs } from '../base/environment.ts';
import { type ToleranceFlags, toleranceOf, usageOf, withTolerance } from '../flags/options.ts';
import { applyInChild, type ChildOutcome } from '../history/apply-in-child.ts';
import { append, outputOption } from '../select/selection-flags.ts';

/** The flags of `compare`. */
interface CompareFlags extends ToleranceFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly onClusterImage: readonly string[];
  readonly until: string | undefined;
  readonly timeout: string | undefined;
  readonly output: 'json' | undefined;
}

const EXAMPLES = `
Examples:
  podrun compare job.yaml --context staging
  podrun compare deploy/ --context staging --until ready --timeout 5m
  podrun compare pod.yaml --context staging -o json | jq -r '.pods[].differences[].what'

Exit codes:
  0  the Pods had the same story at both places
  1  their stories differ
  2  the command line is wrong, or a run did not begin
`;

/** `podrun compare`: runs manifests here and on a cluster, and compares what became of them. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('compare')
    .summary('Run manifests here and on a cluster, and compare')
    .description(
      'Runs manifests on this machine and on a cluster at the same time, and compares what became of each Pod: ' +
        'phases, conditions, restarts, exits, events, order, times. Nothing stays at either place.',
    )
    .usage('[flags] -f FILE|DIR | FILE...')
    .argument('[files...]', 'manifests, or folders of manifests')
    .option('-f, --filename <file>', 'like the arguments; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: on the cluster, one of its own)')
    .option('--context <name>', 'the context of your kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', "the kubeconfig (default: kubectl's)")
    .option('--on-cluster-image <name=image>', 'the image of a cluster in place of one of podrun.yaml', append, [])
    .option('--until <goal>', 'end both runs when this is reached, as apply does')
    .option('--timeout <duration>', 'end both runs after this time');
  withTolerance(command)
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action((files: string[], flags: CompareFlags) => run((cli) => compare(cli, [...flags.filename, ...files], flags)));
}

async function compare(cli: Cli, files: readonly string[], flags: CompareFlags): Promise<number> {
  if (files.length === 0) throw usageOf('compare', 'must specify one of -f and FILE');
  if (files.includes('-')) throw usage('standard input cannot be read twice', 'Name a file.');
  const tolerance = toleranceOf(flags);
  const cluster = flags.context ?? 'the cluster';
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-compare-'));
  try {
    // When one run does not begin, the other run is stopped: it may never end.
    const stop = new AbortController();
    const start = async (name: string, place: readonly string[]): Promise<ChildOutcome> => {
      const args = [...place, ...applyArgs(files, flags)];
      const outcome = await applyInChild(cli, { name, args, signal: stop.signal });
      if (outcome.runs.length === 0) stop.abort(name);
      return outcome;
    };
    const [here, onCluster] = await Promise.all([
      start('here', ['--state-dir', folder]),
      start(cluster, clusterArgs(cli, flags)),
    ]);
    // The other run may have been ended before it began: the first one is to blame.
    if (stop.signal.aborted) throw usage(`no Pod began: ${String(stop.signal.reason)}`, 'The lines above say why.');
    const stories = pairRuns(here.runs, onCluster.runs).map((pair) => storyOf(pair, cluster, tolerance));
    cli.stdout.write(flags.output === undefined ? renderStories(stories) : recordOf(stories, displayNowMs(cli)));
    return stories.every(isSame) ? EXIT.ok : EXIT.failed;
  } finally {
    removeTree(folder);
  }
}

function applyArgs(files: readonly string[], flags: CompareFlags): string[] {
  const { recursive, namespace, until, timeout } = flags;
  return [
    ...files.flatMap((file) => ['-f', file]),
    ...(recursive ? ['-R'] : []),
    ...flag('--namespace', namespace),
    ...flag('--until', until),
    ...flag('--timeout', timeout),
  ];
}

/** The record of the run on the cluster is where `apply --context` has its records: the next one cleans up after it. */
function clusterArgs(cli: Cli, { context, kubeconfig, onClusterImage }: CompareFlags): string[] {
  return [
    // Without a flag, `apply` would run here.
    ...(context === undefined && kubeconfig === undefined ? ['--context', ''] : []),
    ...flag('--context', context),
    ...flag('--kubeconfig', kubeconfig),
    ...onClusterImage.flatMap((image) => ['--on-cluster-image', image]),
    ...flag('--state-dir', cli.flags.stateDir),
  ];
}

function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}

type NamedRunWithPod = NamedRun & { readonly pod: StoredPod };

/** The runs of one Pod at both places and their differences, or the only place where it began. */
type Story =
  | { readonly role: string; readonly only: string }
  | {
      readonly role: string;
      readonly a: NamedRunWithPod;
      readonly b: NamedRunWithPod;
      readonly comparison: RunComparison;
    };

function storyOf({ role, a, b }: RunPair, cluster: string, tolerance: Tolerance): Story {
  const [one, other] = [withPod(a, `${role} here`), withPod(b, `${role} on ${cluster}`)];
  const comparison = one && other && compareRuns(one.recorded, other.recorded, tolerance);
  if (one === undefined || other === undefined || comparison === undefined) {
    return { role, only: one === undefined ? `on ${cluster}` : 'here' };
  }
  // The manifests were the same: what differs in the Pods are defaults of the place.
  return { role, a: one, b: other, comparison: { ...comparison, manifest: [] } };
}

function withPod(named: NamedRun | undefined, run: string): NamedRunWithPod | undefined {
  const pod = named && lastStateOf(named.recorded);
  return named && pod && { ...named, run, pod };
}

function isSame(story: Story): boolean {
  return 'comparison' in story && story.comparison.differences.length === 0;
}

function renderStories(stories: readonly Story[]): string {
  const texts = stories.map((story) =>
    'only' in story
      ? `${story.role} began ${story.only} only.\n`
      : renderComparison(story.a, story.b, story.comparison),
  );
  return texts.join('\n');
}

function recordOf(stories: readonly Story[], nowMs: number): string {
  const pods = stories.map((story) =>
    'only' in story
      ? { name: story.role, same: false, only: story.only }
      : { name: story.role, ...comparisonRecord(story.a, story.b, { comparison: story.comparison, nowMs }) },
  );
  return `${JSON.stringify({ same: stories.every(isSame), pods }, undefined, 4)}\n`;
}
