import { advise, noTransitions, patchOf, type WorkloadPods, type RunAdvice } from '../../history/index.ts';
import type { Command } from 'commander';
import { DEFAULT_NAMESPACE, EXIT, type StoredPod } from '../../api/index.ts';
import { formatYaml, renderAdvice, renderAdviceJson } from '../../print/index.ts';
import { topWorkload, workloadsAbove } from '../../apiserver/index.ts';
import { hasSeveralNodes } from '../../settings/index.ts';
import { type FileStore, RecordedRuns } from '../../store/index.ts';
import { openStore } from '../base/environment.ts';
import { podArgument } from '../select/resource-arguments.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { painterFor } from '../view/painter-for.ts';

interface AdviseFlags {
  readonly namespace: string | undefined;
  readonly output: AdviseOutput | undefined;
}

export type AdviseOutput = 'text' | 'json' | 'patch';

const EXAMPLES = `
Examples:
  podrun advise web                       # what to change, from the latest run of web
  podrun advise web@1                     # the same for the run before it
  podrun advise web -o patch > patch.yaml # the changes to the manifest, as a strategic merge patch
  podrun advise web -o json | jq '.advice[] | select(.severity == "problem")'
`;

/** `podrun advise`: suggests changes of the manifest that a recorded run gives reason for. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('advise')
    .summary('Advise changes to a manifest, from measurements of a run')
    .description('Advises changes to the manifest of a Pod, from the measurements of one of its runs.')
    .usage('(POD | POD@N | pod/POD) [flags]')
    .argument('<pod>', 'the Pod, or one of its earlier runs, such as web@1')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addOption(outputOption<AdviseOutput>(['text', 'json', 'patch']))
    .addHelpText('after', EXAMPLES)
    .action((pod: string, flags: AdviseFlags) => run((cli) => adviseCommand(cli, pod, flags)));
}

async function adviseCommand(cli: Cli, word: string, flags: AdviseFlags): Promise<number> {
  const name = podArgument(word, (plural) => `podrun advises on Pods only, not on ${plural}`);
  const store = openStore(cli);
  const runs = new RecordedRuns(store);
  const match = runs.find(flags.namespace || DEFAULT_NAMESPACE, name);
  const advised = advise(runs.read(match), runs.readUsage(match), replicasOf(store, match.pod));
  if (advised === undefined) throw noTransitions(match.run);
  const text = await render(cli, match.run, match.pod, advised, flags);
  if (text === '') cli.note(`${match.run}: nothing to change in the manifest`);
  cli.stdout.write(text);
  return EXIT.ok;
}

/** Undefined with one node, and for a Pod that no workload made. */
function replicasOf(store: FileStore, pod: StoredPod): WorkloadPods | undefined {
  const above = workloadsAbove(store);
  const workload = hasSeveralNodes(store) ? topWorkload(above, pod) : undefined;
  if (workload === undefined) return undefined;
  const { namespace } = pod.metadata;
  const pods = store.list<StoredPod>('pods', { namespace }).filter((other) => topWorkload(above, other) === workload);
  return { workload, pods };
}

async function render(
  cli: Cli,
  run: string,
  pod: StoredPod,
  advised: RunAdvice,
  { output = 'text' }: AdviseFlags,
): Promise<string> {
  if (output === 'json') return renderAdviceJson(run, advised);
  if (output === 'text') return renderAdvice(run, advised, await painterFor(cli, 'stdout'));
  const patch = patchOf(pod, advised.advice);
  return patch === undefined ? '' : formatYaml(patch);
}
