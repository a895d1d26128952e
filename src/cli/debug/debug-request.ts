import { randomSuffix } from '../../apiserver/index.ts';
import { allContainers, DEFAULT_NAMESPACE, type EphemeralContainer, type StoredPod } from '../../api/index.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { usageOf } from '../flags/usage-of.ts';

export interface DebugFlags {
  readonly namespace: string | undefined;
  readonly container: string | undefined;
  readonly image: string | undefined;
  readonly target: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly env: readonly string[];
  readonly argumentsOnly: boolean;
  /** Undefined without the flag. */
  readonly attach: boolean | undefined;
}

/** The arguments of `debug`. */
export interface DebugWords {
  readonly pod: string | undefined;
  /** The words behind `--`. */
  readonly command: readonly string[] | undefined;
}

/** The parsed command line of `debug`. */
export interface DebugRequest {
  readonly namespace: string;
  readonly name: string;
  readonly attach: boolean;
  /** The command or the arguments of the container. */
  readonly command: readonly string[];
}

/** The image of a container that uses the programs of this machine. */
const HOST_IMAGE = 'host';
const SHELL = 'sh';

/** @throws {PodrunError} (usage) in kubectl's words, when words and flags make no sense */
export function readDebugRequest({ pod, command = [] }: DebugWords, flags: DebugFlags): DebugRequest {
  if (pod === undefined) throw usageOf('debug', 'NAME is required for debug');
  if (flags.tty && !flags.stdin) throw usageOf('debug', '-i/--stdin is required for containers with -t/--tty=true');
  return {
    namespace: flags.namespace || DEFAULT_NAMESPACE,
    name: podName(pod),
    attach: flags.attach ?? flags.stdin,
    command,
  };
}

function podName(word: string): string {
  const [first = '', name, ...rest] = word.split('/');
  if (name === undefined) return first;
  if (rest.length > 0 || name === '') {
    throw usageOf('debug', 'arguments in resource/name form must have a single resource and name');
  }
  const type = mustFindType(first);
  if (type.plural === 'pods') return name;
  throw usageOf('debug', `"${type.plural}" not supported by debug: use a Pod`);
}

/**
 * Makes the ephemeral container. Needs no image, because the container uses the programs of this machine. Source:
 * kubectl/pkg/cmd/debug/debug.go generateDebugContainer.
 */
export function debugContainer(pod: StoredPod, { command }: DebugRequest, flags: DebugFlags): EphemeralContainer {
  const target = flags.target || undefined;
  const words = command.length === 0 && flags.image === undefined ? [SHELL] : [...command];
  const env = flags.env.flatMap(variablesIn);
  return {
    name: flags.container || freeName(pod),
    image: flags.image ?? imageOf(pod, target) ?? HOST_IMAGE,
    ...(words.length === 0 ? {} : { [flags.argumentsOnly ? 'args' : 'command']: words }),
    ...(env.length === 0 ? {} : { env }),
    ...(flags.stdin ? { stdin: true } : {}),
    // stdinOnce passes the end of a pipe to the container. A user at a terminal may attach again.
    ...(flags.stdin && !flags.tty ? { stdinOnce: true } : {}),
    ...(flags.tty ? { tty: true } : {}),
    ...(target === undefined ? {} : { targetContainerName: target }),
  };
}

function imageOf({ spec }: StoredPod, container: string | undefined): string | undefined {
  return allContainers(spec).find(({ name }) => name === container)?.image;
}

function freeName({ spec }: StoredPod): string {
  for (;;) {
    const name = `debugger-${randomSuffix()}`;
    if (!allContainers(spec).some((container) => container.name === name)) return name;
  }
}

/**
 * Parses `A=1`, or several such pairs with commas between them. The value of a single pair may contain commas. Source:
 * spf13/pflag string_to_string.go.
 */
function variablesIn(text: string): Array<{ name: string; value: string }> {
  const parts = text.split(',');
  const single = text.split('=').length === 2 || !parts.every((part) => part.includes('='));
  return (single ? [text] : parts).map((pair) => {
    const equals = pair.indexOf('=');
    return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });
}
