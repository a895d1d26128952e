import type { Command } from 'commander';
import type { RunVerb } from '../base/cli.ts';
import { ZONES_HELP } from '../flags/apply-flags.ts';
import { countOption } from '../flags/options.ts';
import { withManifestFlags } from '../select/manifest-objects.ts';
import { outputOption } from '../select/selection-flags.ts';
import { explainPlacement, type WhyFlags, type WhyOutput } from '../why/explain-placement.ts';

const DETAILS = `
The nodes come from the manifests (kind Node), --nodes or podrun.yaml; without any, there is this machine. Pods with
a nodeName in the manifests hold room there. Workloads count with their Pods, DaemonSets with one for each node that
they take.

Exit codes:
  0    each Pod gets a node
  1    a Pod stays Pending, or does not exist
  2    the command line is wrong

Examples:
  podrun why web                          # a Pod of the store: this node, plugin by plugin
  podrun why -f shop.yaml -f nodes.yaml     # where each Pod of these manifests would go
  podrun why -f shop.yaml --nodes 3
  podrun why -f shop.yaml -f nodes.yaml web-2
  podrun why -f shop.yaml -f nodes.yaml web-2 -o json
`;

/** `podrun why`: says which node a Pod gets, and why. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('why')
    .summary('Say which node a Pod gets, and why: each node, each plugin of the scheduler')
    .description(
      'Says which node a Pod gets, and why: the plugin that rejects a node, and the scores of the rest, as the ' +
        'scheduler of Kubernetes computes them. Nothing runs.',
    )
    .usage('[POD] [flags]')
    .argument('[pod]', 'the Pod; a Pod of a workload by its number or node: web-2, db-0, agent-node-1');
  withManifestFlags(command)
    .option('-n, --namespace <name>', 'namespace of the Pod, and of objects without one (default: "default")')
    .addOption(countOption('--nodes <number>', 'place the Pods on this many nodes, node-1, node-2, …'))
    .addOption(countOption('--zones <number>', ZONES_HELP))
    .option('--seed <number>', 'the choice among equal nodes', '1')
    .addOption(outputOption<WhyOutput>(['text', 'json']))
    .addHelpText('after', DETAILS)
    .action((pod: string | undefined, flags: WhyFlags) => run((cli) => explainPlacement(cli, pod, flags)));
}
