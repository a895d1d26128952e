import { randomSuffix } from '../../apiserver/index.ts';
import { allContainers, DEFAULT_NAMESPACE, type EphemeralContainer, type StoredPod } from '../../api/index.ts';
import type { Cli } from '../base/cli.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { usageOf } from '../flags/options.ts';
import { type CustomProfile, customized, readCustomProfile } from './custom-profile.ts';
import { type DebugProfile, type KeptParts, keptParts, securityOf } from './profiles.ts';

export interface DebugFlags {
  readonly namespace: string | undefined;
  readonly container: string | undefined;
  readonly image: string | undefined;
  readonly target: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly env: readonly string[];
  readonly argumentsOnly: boolean;
  readonly copyTo: string | undefined;
  readonly sameNode: boolean;
  readonly shareProcesses: boolean;
  /** `CONTAINER=IMAGE`. */
  readonly setImage: readonly string[];
  readonly profile: DebugProfile | undefined;
  /** The file with a part of the container. */
  readonly custom: string | undefined;
  /** Delete the Pod of which there is a copy. */
  readonly replace: boolean;
  readonly keepLabels: boolean;
  readonly keepAnnotations: boolean;
  readonly keepLiveness: boolean;
  readonly keepReadiness: boolean;
  readonly keepStartup: boolean;
  readonly keepInitContainers: boolean;
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
  /** The Pod or the node. */
  readonly name: string;
  readonly isNode: boolean;
  readonly attach: boolean;
  /** Undefined: nothing is added to the container. */
  readonly custom: CustomProfile | undefined;
  /** The command or the arguments of the container. */
  readonly command: readonly string[];
}

/** The image of a container that uses the programs of this machine. */
const HOST_IMAGE = 'host';
const SHELL = 'sh';

/** @throws {PodrunError} (usage) in kubectl's words, when words and flags make no sense */
export function readDebugRequest(cli: Cli, { pod, command = [] }: DebugWords, flags: DebugFlags): DebugRequest {
  if (pod === undefined) throw usageOf('debug', 'NAME is required for debug');
  if (flags.tty && !flags.stdin) throw usageOf('debug', '-i/--stdin is required for containers with -t/--tty=true');
  const subject = subjectOf(pod);
  checkCopyFlags(flags, subject.isNode, command);
  return {
    namespace: flags.namespace || DEFAULT_NAMESPACE,
    ...subject,
    attach: flags.attach ?? flags.stdin,
    custom: flags.custom === undefined ? undefined : readCustomProfile(flags.custom, cli.pathOf(flags.custom)),
    command,
  };
}

/** @throws {PodrunError} (usage) in kubectl's words, for flags that make no sense together */
function checkCopyFlags(flags: DebugFlags, isNode: boolean, command: readonly string[]): void {
  const { copyTo, container, image, setImage, sameNode, target, replace } = flags;
  if (copyTo === undefined) {
    if (replace) throw usageOf('debug', '--replace may only be used with --copy-to.');
    if (setImage.length > 0) throw usageOf('debug', '--set-image may only be used with --copy-to.');
    if (sameNode) throw usageOf('debug', '--same-node may only be used with --copy-to.');
    return;
  }
  if (isNode) throw usageOf('debug', '--copy-to may only be used with a Pod.');
  if (target) throw usageOf('debug', '--target is incompatible with --copy-to. Use --share-processes instead.');
  if (image === undefined && setImage.length === 0 && command.length === 0)
    throw usageOf('debug', 'you must specify --image, --set-image or command arguments.');
  if (command.length > 0 && !container && image === undefined)
    throw usageOf('debug', 'you must specify an existing container or a new image when specifying args.');
}

function subjectOf(word: string): Pick<DebugRequest, 'isNode' | 'name'> {
  const [first = '', name, ...rest] = word.split('/');
  if (name === undefined) return { name: first, isNode: false };
  if (rest.length > 0 || name === '') {
    throw usageOf('debug', 'arguments in resource/name form must have a single resource and name');
  }
  const type = mustFindType(first);
  if (type.plural === 'pods' || type.plural === 'nodes') return { name, isNode: type.plural === 'nodes' };
  throw usageOf('debug', `"${type.plural}" not supported by debug: use a Pod or a node`);
}

/**
 * Makes the ephemeral container. Needs no image, because the container uses the programs of this machine. Source:
 * kubectl/pkg/cmd/debug/debug.go generateDebugContainer.
 */
export function debugContainer(
  pod: StoredPod,
  { command, custom }: DebugRequest,
  flags: DebugFlags,
): EphemeralContainer {
  const target = flags.target || undefined;
  const securityContext = securityOf(flags.profile);
  const container = {
    name: flags.container || freeName(pod),
    image: flags.image ?? imageOf(pod, target) ?? HOST_IMAGE,
    ...fieldsOf(command, flags, [SHELL]),
    ...(securityContext && { securityContext }),
    ...(target === undefined ? {} : { targetContainerName: target }),
  };
  return customized(container, custom);
}

/**
 * The container for debugging of a copy: a new one, or the new fields of one of the Pod. Undefined: no flag asks for
 * one.
 */
export function copiedContainer(
  pod: StoredPod,
  { command }: DebugRequest,
  flags: DebugFlags,
): Partial<EphemeralContainer> | undefined {
  if (flags.image === undefined && command.length === 0) return undefined;
  const securityContext = securityOf(flags.profile);
  return {
    name: flags.container || freeName(pod),
    ...(flags.image !== undefined && { image: flags.image }),
    ...fieldsOf(command, flags, []),
    ...(securityContext && { securityContext }),
  };
}

/** The parts of the Pod that its copy keeps. */
export function keptOf({ profile, ...flags }: DebugFlags): KeptParts {
  return keptParts(profile, {
    labels: flags.keepLabels,
    annotations: flags.keepAnnotations,
    liveness: flags.keepLiveness,
    readiness: flags.keepReadiness,
    startup: flags.keepStartup,
    initContainers: flags.keepInitContainers,
  });
}

/** The container of a Pod that debugs a node. */
export function nodeContainer({ command }: DebugRequest, flags: DebugFlags): Partial<EphemeralContainer> {
  const fields = fieldsOf(command, flags, [SHELL]);
  return { name: flags.container || 'debugger', image: flags.image ?? HOST_IMAGE, ...fields };
}

/** @param shell the command of a container without a command and an image */
function fieldsOf(
  command: readonly string[],
  flags: DebugFlags,
  shell: readonly string[],
): Pick<EphemeralContainer, 'args' | 'command' | 'env' | 'stdin' | 'stdinOnce' | 'tty'> {
  const words = command.length === 0 && flags.image === undefined ? [...shell] : [...command];
  const env = flags.env.flatMap(variablesIn);
  return {
    ...(words.length === 0 ? {} : { [flags.argumentsOnly ? 'args' : 'command']: words }),
    ...(env.length === 0 ? {} : { env }),
    ...(flags.stdin ? { stdin: true } : {}),
    // stdinOnce passes the end of a pipe to the container. A user at a terminal may attach again.
    ...(flags.stdin && !flags.tty ? { stdinOnce: true } : {}),
    ...(flags.tty ? { tty: true } : {}),
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
