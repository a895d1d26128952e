import type { Workload } from '../../api/index.ts';
import type { SeparatedObjects } from '../../apiserver/index.ts';
import type { Store } from '../../store/index.ts';
import { hasSeveralNodes } from '../../settings/index.ts';
import { annotatesForGitHub } from './github-mistakes.ts';
import { painterFor } from './painter-for.ts';
import type { ApplyView, ApplyViewOptions } from './apply-view.ts';
import type { StatusView } from './status-view.ts';
import type { Cli } from '../base/cli.ts';
import { TextView } from './text-view.ts';
import { JsonView } from './json-view.ts';
import { GitHubView } from './github-view.ts';
import { QuietView } from './quiet-view.ts';

/**
 * Opens the view for the flags: transitions for people, or watch events as the API server sends them.
 * @param store the objects of this machine. Default: objects of a cluster are shown
 */
export async function openView(
  { cli, flags, isRun }: Pick<ApplyViewOptions, 'cli' | 'flags' | 'isRun'>,
  { pods, workloads, records }: SeparatedObjects,
  store?: Store,
): Promise<ApplyView> {
  if (flags.output === 'json') return new JsonView(cli, store);
  const options: ApplyViewOptions = {
    cli,
    flags,
    pods: pods.map(({ object }) => object),
    workloads: workloads.map(({ object }) => object as unknown as Workload),
    manifests: [...pods, ...workloads, ...records],
    isRun,
    hasNodes: store && (() => hasSeveralNodes(store)),
  };
  const view = await viewForPeople(options);
  return annotatesForGitHub(cli, flags) ? new GitHubView(view, options) : view;
}

async function viewForPeople(options: ApplyViewOptions): Promise<ApplyView> {
  const color = await painterFor(options.cli, 'stdout');
  if (options.cli.isQuiet) return new QuietView(options, color);
  // Loaded only for a terminal: string-width takes 30 ms.
  const status = async (): Promise<typeof StatusView> => (await import('./status-view.ts')).StatusView;
  return new TextView(options, color, isWatched(options.cli) ? status : undefined);
}

/** True when output goes to a terminal that can show the block. */
function isWatched({ env: { CI, TERM }, stdout, stderr }: Cli): boolean {
  return stdout.isTerminal && stderr.isTerminal && CI === undefined && TERM !== 'dumb';
}
