import { allContainers, type Container, type StoredPod, usage } from '../../api/index.ts';
import {
  containerSource,
  imageFolder,
  imageFolderUnusable,
  type ImageMap,
  type ImageMapping,
  type ImageSource,
  type ImageVerdict,
  type ImageVerdicts,
  invalidImageMessage,
  isImagePattern,
  mappingOf,
  SOURCE_CHOICES,
  type SourceChoice,
  type SourceRules,
  volumeSource,
} from '../../lifecycle/index.ts';
import { statIfThere } from '../../quietly.ts';
import { errnoOf, errnoText } from '../../runtime/index.ts';
import type { ConfigFile } from './config-file.ts';
import { splitWords } from './split-words.ts';

/**
 * The substitutes for images, from `--image` and from podrun.yaml.
 * @param flags the values of `--image`
 * @throws {PodrunError} when one of them is not NAME=COMMAND…
 */
export function makeImageMap(flags: readonly string[], config: ConfigFile | undefined): ImageMap {
  return { commandLine: flags.map(parseFlag), configFile: config?.images ?? [] };
}

/** Splits `NAME=COMMAND…` at the first equals sign: names of images have none. */
function parseFlag(flag: string): ImageMapping {
  const equals = flag.indexOf('=');
  const pattern = flag.slice(0, Math.max(equals, 0));
  if (!isImagePattern(pattern)) refuse(flag, 'must be NAME=COMMAND…');
  const outcome = splitWords(flag.slice(equals + 1));
  if (!outcome.ok) refuse(flag, `the command ${outcome.problem}`);
  if (outcome.words.length === 0) refuse(flag, 'the command is empty');
  return { pattern, command: outcome.words, args: undefined, env: {}, workingDir: undefined, folder: undefined };
}

function refuse(flag: string, problem: string): never {
  throw usage(
    `--image ${JSON.stringify(flag)}: ${problem}`,
    'For example: --image \'nginx=nginx -g "daemon off;"\'. In NAME, * stands for anything.',
  );
}

/**
 * The substitutes for images: the program of each container and the folder of each volume, or the reason why there is
 * none.
 */
export function judgeImages({ spec }: StoredPod, images: ImageMap, rules: SourceRules): ImageVerdicts {
  return {
    containers: Object.fromEntries(
      allContainers(spec).map((container) => [container.name, judgeImage(container, images, rules)]),
    ),
    volumes: Object.fromEntries(
      (spec.volumes ?? []).flatMap(({ name, image }) =>
        image === undefined ? [] : [[name, judgeVolume(image.reference ?? '', images, rules)]],
      ),
    ),
  };
}

function judgeVolume(reference: string, images: ImageMap, rules: SourceRules): ImageVerdict {
  const message = invalidImageMessage(reference);
  if (message !== undefined) return { type: 'invalidName', message };
  const folder = imageFolder(reference, images);
  return folder === undefined ? verdictOf(volumeSource(reference, images, rules)) : ofFolder(folder, reference);
}

function ofFolder(folder: string, image: string): ImageVerdict {
  let why = 'is no folder';
  try {
    if (statIfThere(folder)?.isDirectory() === true) return { type: 'present' };
  } catch (error) {
    why = `cannot be seen: ${errnoText(errnoOf(error))}`;
  }
  return { type: 'absent', pullError: imageFolderUnusable(folder, image, why) };
}

function judgeImage(container: Container, images: ImageMap, rules: SourceRules): ImageVerdict {
  const { image = '' } = container;
  const message = invalidImageMessage(image);
  if (message !== undefined) return { type: 'invalidName', message };
  const source = containerSource(container, images, rules);
  const folder = mappingOf(image, images)?.folder;
  return source.type === 'host' && folder !== undefined ? ofFolder(folder, image) : verdictOf(source);
}

function verdictOf(source: ImageSource): ImageVerdict {
  if (source.type === 'unknown') return { type: 'absent', pullError: source.pullError };
  return { type: source.type === 'host' ? 'present' : 'image' };
}

/** Images run where nothing else says what to run: a Pod that a user brings from a cluster runs without changes. */
const DEFAULT_SOURCE: SourceChoice = 'auto';

/** The sources of the choice, the first one wins: --images, $PODRUN_IMAGES, podrun.yaml. */
interface ChoiceSources {
  readonly flag: SourceChoice | undefined;
  readonly variable: string | undefined;
  readonly file: SourceChoice | undefined;
}

/**
 * The choice of the first source that has one.
 * @throws {PodrunError} (usage) when the variable has an invalid value
 */
export function imageSource({ flag, variable, file }: ChoiceSources): SourceChoice {
  if (flag !== undefined || !variable) return flag ?? file ?? DEFAULT_SOURCE;
  const chosen = SOURCE_CHOICES.find((choice) => choice === variable);
  if (chosen !== undefined) return chosen;
  throw usage(`invalid PODRUN_IMAGES ${JSON.stringify(variable)}`, `Use one of ${SOURCE_CHOICES.join(', ')}.`);
}
