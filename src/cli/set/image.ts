import type { Command } from 'commander';
import { goQuote, PodrunError, type PodSpec, splitPairs, usage } from '../../api/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { chosenContainers, withContainers } from './pod-spec.ts';
import { changePodSpecs, checkSetTargets, setCommand, type SetFlags } from './set-objects.ts';

const EXAMPLES = `
Examples:
  podrun set image deployment/web main=busybox:1.38
  podrun set image deployment/web *=busybox:1.38           # all containers
`;

/** `podrun set image`: changes the images of containers. */
export function addImage(group: Command, run: RunVerb): void {
  setCommand(group, 'image', 'CONTAINER=IMAGE... [flags]')
    .summary('Change the images of containers')
    .description('Changes the images of the containers of Pods and of Pod templates.')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: SetFlags) => run((cli) => setImage(cli, words, flags)));
}

const ALL = '*';

/** Source: kubectl/pkg/cmd/set/set_image.go. */
function setImage(cli: Cli, words: readonly string[], flags: SetFlags): Promise<number> {
  const { resources, pairs } = splitPairs(words, 'image');
  const wrong = pairs.filter((pair) => !/^[^=]+=/.test(pair));
  if (wrong.length > 0) throw usage(`invalid image format: ${wrong.join(', ')}`);
  checkSetTargets(resources, flags);
  const images = new Map(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  );
  if (images.size === 0) throw usage('at least one image update is required');
  if (images.size > 1 && images.has(ALL)) {
    const problem = 'but saw more than one container_name=container_image pairs';
    throw usage(`all containers are already specified by *, ${problem}`);
  }
  const change = (spec: PodSpec): PodSpec => {
    for (const name of images.keys()) {
      if (name !== ALL && chosenContainers(spec, (container) => container.name === name).length === 0) {
        throw new PodrunError('NotFound', `unable to find container named ${goQuote(name)}`);
      }
    }
    const imageOf = (container: string): string | undefined => images.get(ALL) ?? images.get(container);
    return withContainers(
      spec,
      ({ name }) => imageOf(name) !== undefined,
      (container) => ({ ...container, image: imageOf(container.name) ?? '' }),
    );
  };
  return changePodSpecs(cli, resources, flags, { what: 'image', change });
}
