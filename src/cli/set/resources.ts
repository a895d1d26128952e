import type { Command } from 'commander';
import { PodrunError, type PodSpec, usage } from '../../api/index.ts';
import { amountsIn } from '../../manifest/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { chosenContainers, containerChoice, withContainers } from './pod-spec.ts';
import { changePodSpecs, checkSetTargets, setCommand, type SetFlags } from './set-objects.ts';

interface ResourcesFlags extends SetFlags {
  readonly containers: string;
  readonly limits: string | undefined;
  readonly requests: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun set resources deployment/web --limits=cpu=200m,memory=512Mi
  podrun set resources deployment web -c main --requests=cpu=100m --limits=cpu=1
`;

/** `podrun set resources`: changes the requests and limits of containers. */
export function addResources(group: Command, run: RunVerb): void {
  setCommand(group, 'resources', '(--limits=LIST | --requests=LIST) [flags]')
    .summary('Change the requests and limits of containers')
    .description('Changes the requests and limits of the containers of Pod templates.')
    .option('-c, --containers <pattern>', 'the containers, by a name in which * stands for any text', '*')
    .option('--limits <list>', 'limits, for example cpu=200m,memory=512Mi')
    .option('--requests <list>', 'requests, for example cpu=100m,memory=256Mi')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: ResourcesFlags) => run((cli) => setResources(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/set/set_resources.go. */
function setResources(cli: Cli, words: readonly string[], flags: ResourcesFlags): Promise<number> {
  checkSetTargets(words, flags);
  if (!flags.limits && !flags.requests) {
    throw usage('you must specify an update to requests or limits (in the form of --requests/--limits)');
  }
  const limits = amountsIn(flags.limits);
  const requests = amountsIn(flags.requests);
  const isChosen = containerChoice(flags.containers);
  const change = (spec: PodSpec): PodSpec => {
    if (chosenContainers(spec, isChosen).length === 0) {
      throw new PodrunError('NotFound', `unable to find container named ${flags.containers}`);
    }
    return withContainers(spec, isChosen, (container) => {
      const { resources } = container;
      const merged = {
        ...resources,
        ...(limits && { limits: { ...resources?.limits, ...limits } }),
        ...(requests && { requests: { ...resources?.requests, ...requests } }),
      };
      return { ...container, resources: merged };
    });
  };
  return changePodSpecs(cli, words, flags, { what: 'resource requirements', change });
}
