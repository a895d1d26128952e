import type { StoredPod } from '../../api/index.ts';
import { imageNeeds, isImageFolderUnusable, knownCommands, waitsForImage } from '../../lifecycle/index.ts';

export interface ImageAdviceOptions {
  /** Pods with containers that wait for images. */
  readonly pods: readonly StoredPod[];
  /** The path of podrun.yaml, which may not exist yet. */
  readonly configPath: string;
  readonly isOnPath: (program: string) => boolean;
}

interface MissingImage {
  readonly image: string;
  /** The container that waits for the image, as `container main`. */
  readonly container: string;
  /** The volume with the image. Undefined when the container runs the image. */
  readonly volume: string | undefined;
}

/** The images that a Pod waits for, a line each: `pod/web: container main waits for image "nginx"`. */
export function missingImageLines(pod: StoredPod): string[] {
  return missingImages(pod).map(({ image, container, volume }) => {
    const where = volume === undefined ? '' : ` of volume ${volume}`;
    return `pod/${pod.metadata.name}: ${container} waits for image ${JSON.stringify(image)}${where}\n`;
  });
}

/**
 * Advice for images without a program: indented lines with their ends, which show the entries to write. A well-known
 * image gets its usual program, if that is installed; any other image gets a placeholder.
 */
export function adviseImages({ pods, configPath, isOnPath }: ImageAdviceOptions): string {
  const choices = new Map(pods.flatMap(missingImages).map((missing) => [missing.image, choiceOf(missing, isOnPath)]));
  const programs = [...choices.values()].filter(({ volume }) => volume === undefined);
  const first = programs.find(({ isKnown }) => isKnown) ?? programs[0];
  const lines = [
    `map the images to programs of this machine in ${configPath}:`,
    '  images:',
    ...[...choices.values()].map(({ image, entry }) => `    ${JSON.stringify(image)}: ${entry}`),
    ...(first === undefined ? [] : [`or on the command line: --image '${first.image}=${first.words}'`]),
    ...(first === undefined ? [] : ['or give the containers a command in the manifest']),
    ...programs.flatMap(({ absent }) => absent ?? []),
  ];
  return choices.size === 0 ? '' : lines.map((line) => `  ${line}\n`).join('');
}

interface ImageChoice extends MissingImage {
  /** The value of an entry in podrun.yaml. */
  readonly entry: string;
  /** The value for `--image`. */
  readonly words: string;
  /** True for a well-known program that is installed. */
  readonly isKnown: boolean;
  /** A sentence about the program of a well-known image that is not installed. */
  readonly absent?: string;
}

function choiceOf(missing: MissingImage, isOnPath: (program: string) => boolean): ImageChoice {
  if (missing.volume !== undefined) return { ...missing, entry: '{folder: ./FOLDER}', words: '', isKnown: false };
  const known = knownCommands(missing.image);
  const [usual] = known;
  const present = known.find(([program]) => isOnPath(program));
  const command = present ?? ['COMMAND'];
  const entry = `[${command.map((word) => JSON.stringify(word)).join(', ')}]`;
  const isKnown = present !== undefined;
  const choice = { ...missing, entry, words: command.map(quotedWord).join(' '), isKnown };
  if (usual === undefined || isKnown) return choice;
  return { ...choice, absent: `${usual[0]}, the program of ${missing.image}, is not on PATH` };
}

/**
 * The images that containers wait for, by the messages of their states. Leaves out images that a folder replaces: the
 * message says what is wrong with the folder.
 */
function missingImages({ spec, status }: StoredPod): MissingImage[] {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].filter(waitsForImage);
  return [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => {
    const state = statuses.find(({ name }) => name === container.name)?.state;
    const message = state?.waiting?.message ?? '';
    if (isImageFolderUnusable(message)) return [];
    const [, image] = /image "([^"]+)"/.exec(message) ?? [];
    const need = imageNeeds(spec, container).find((candidate) => candidate.image === image);
    return need === undefined
      ? []
      : [{ image: need.image, container: `container ${container.name}`, volume: need.volume }];
  });
}

/** Quotes a word within the single quotes of `--image`. */
function quotedWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `"${word}"`;
}
