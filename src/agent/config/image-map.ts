import { usage } from '../../api/errors.ts';
import type { ImageMap, ImageMapping } from '../../lifecycle/environment/entry-point.ts';
import { isImagePattern } from '../../lifecycle/environment/image-pattern.ts';
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
