import type { StoredPod } from '../../api/objects.ts';
import { knownCommands } from '../../lifecycle/environment/known-images.ts';
import { imageNeeds } from '../../lifecycle/plan/image-pull.ts';
import { waitsForImage } from '../../lifecycle/requests/stuck.ts';

export interface ImageQuestion {
  /** Pods of which containers wait for images. */
  readonly pods: readonly StoredPod[];
  /** The podrun.yaml in use, or the one to make. */
  readonly configPath: string;
  readonly isOnPath: (program: string) => boolean;
}

/**
 * The images that no program stands for, and what to write where: lines with their ends, indented. A well-known image
 * whose program is there is given that program, any other one a place to fill in.
 */
export function adviseImages({ pods, configPath, isOnPath }: ImageQuestion): string {
  const images = [...new Set(pods.flatMap(missingImages))];
  if (images.length === 0) return '';
  const choices = images.map((image) => {
    const known = knownCommands(image);
    return { image, known, command: known.find(([program]) => isOnPath(program)) };
  });
  const absent = choices.filter(({ known, command }) => known.length > 0 && command === undefined);
  const [first] = choices;
  const flag = first && `--image '${first.image}=${(first.command ?? ['COMMAND']).map(shellWord).join(' ')}'`;
  const lines = [
    `say in ${configPath} which programs of this machine stand for them:`,
    '  images:',
    ...choices.map(({ image, command }) => `    ${JSON.stringify(image)}: ${JSON.stringify(command ?? ['COMMAND'])}`),
    `or on the command line: ${flag}`,
    'or give the containers a command in the manifest',
    ...absent.map(({ image, known }) => `${known[0]?.[0]}, which ${image} runs, is not on PATH`),
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

/** The images of containers that wait for them. An image volume needs a folder, which the message of its wait says. */
function missingImages({ spec, status }: StoredPod): string[] {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const waiting = new Set(statuses.filter(waitsForImage).map(({ name }) => name));
  return [...(spec.initContainers ?? []), ...spec.containers]
    .filter(({ name }) => waiting.has(name))
    .filter(({ command = [] }) => command.length === 0)
    .flatMap((container) => imageNeeds(spec, container).filter(({ volume }) => volume === undefined))
    .map(({ image }) => image);
}

/** A word inside the single quotes of --image: in double quotes where it needs some. */
function shellWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `"${word}"`;
}
