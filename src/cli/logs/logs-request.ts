import { type ContextFlags, durationFlag, usageErrorf } from '../flags/options.ts';
import {
  DEFAULT_NAMESPACE,
  type LabelMatcher,
  parseLabelSelector,
  parseTime,
  type ResourceType,
  usage,
} from '../../api/index.ts';
import { parseResourceArguments } from '../select/resource-arguments.ts';

export interface LogsFlags extends ContextFlags {
  readonly container: string | undefined;
  readonly allContainers: boolean;
  /** All Pods of a workload, instead of one. */
  readonly allPods: boolean;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly hooks: boolean;
  readonly since: string | undefined;
  readonly sinceTime: string | undefined;
  readonly tail: string | undefined;
  readonly timestamps: boolean;
  readonly prefix: boolean;
  readonly limitBytes: string | undefined;
  readonly ignoreErrors: boolean;
  readonly selector: string | undefined;
  readonly namespace: string | undefined;
  readonly maxLogRequests: string;
  readonly podRunningTimeout: string;
}

/** One Pod, the Pods that match a selector, or Pods of an object. */
export type LoggedPods =
  | { readonly name: string }
  | { readonly matches: LabelMatcher }
  | { readonly of: { readonly type: ResourceType; readonly name: string } };

/** The parsed command line of `logs`. */
export interface LogsRequest {
  readonly namespace: string;
  readonly pods: LoggedPods;
  /** Undefined: the default container, or all. */
  readonly container: string | undefined;
  readonly allContainers: boolean;
  readonly tailLines: number | undefined;
  /** The earliest time of a line, milliseconds since 1970. */
  readonly sinceMs: number | undefined;
  readonly limitBytes: number | undefined;
  readonly followedMax: number;
  /** The time to wait for a container to start, milliseconds. */
  readonly startTimeoutMs: number;
}

/** The arguments of `logs`. */
export interface LogsWords {
  readonly pod: string | undefined;
  readonly container: string | undefined;
}

const TAIL_WITH_SELECTOR = '10';

/** @throws {PodrunError} (usage) in kubectl's words, when words and flags make no sense */
export function readLogsRequest(words: LogsWords, flags: LogsFlags, nowMs: number): LogsRequest {
  const container = containerOf(words, flags);
  return {
    namespace: flags.namespace || DEFAULT_NAMESPACE,
    pods: podsOf(words, flags),
    container,
    allContainers: flags.allContainers,
    tailLines: tailOf(flags),
    sinceMs: sinceOf(flags, nowMs),
    limitBytes: limitOf(flags),
    followedMax: wholeNumber('--max-log-requests', flags.maxLogRequests),
    startTimeoutMs: durationFlag('--pod-running-timeout', flags.podRunningTimeout),
  };
}

function podsOf({ pod }: LogsWords, { selector }: LogsFlags): LogsRequest['pods'] {
  if (pod !== undefined && selector !== undefined) {
    throw usageErrorf('logs', 'only a selector (-l) or a POD name is allowed');
  }
  if (selector !== undefined) return { matches: parseLabelSelector(selector) };
  if (pod === undefined) {
    throw usageErrorf(
      'logs',
      "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n" +
        'POD or TYPE/NAME is a required argument for the logs command',
    );
  }
  if (!pod.includes('/')) return { name: pod };
  const parsed = parseResourceArguments([pod]);
  const [object] = parsed.how === 'names' ? parsed.names : [];
  if (object === undefined) throw usage('arguments in resource/name form must have a single resource and name');
  return object.type.plural === 'pods' ? { name: object.name } : { of: object };
}

function containerOf(words: LogsWords, flags: LogsFlags): string | undefined {
  if (words.container !== undefined && flags.container !== undefined) {
    throw usage('only one of -c or an inline [CONTAINER] arg is allowed');
  }
  const container = words.container ?? flags.container;
  if (flags.allContainers && container !== undefined) {
    throw usage(`--all-containers=true should not be specified with container name ${container}`);
  }
  return container;
}

function tailOf({ tail, selector }: LogsFlags): number | undefined {
  const text = tail ?? (selector === undefined ? '-1' : TAIL_WITH_SELECTOR);
  const lines = wholeNumber('--tail', text);
  if (lines < -1) throw usage('--tail must be greater than or equal to -1');
  return lines === -1 ? undefined : lines;
}

function limitOf({ limitBytes }: LogsFlags): number | undefined {
  if (limitBytes === undefined) return undefined;
  const bytes = wholeNumber('--limit-bytes', limitBytes);
  if (bytes < 0) throw usage('--limit-bytes must be greater than 0');
  // In kubectl, 0 means no limit.
  return bytes === 0 ? undefined : bytes;
}

function sinceOf({ since, sinceTime }: LogsFlags, nowMs: number): number | undefined {
  if (since !== undefined && sinceTime !== undefined) {
    throw usage('at most one of `sinceTime` or `sinceSeconds` may be specified');
  }
  if (since !== undefined) {
    const ms = durationFlag('--since', since);
    if (ms < 0) throw usage('--since must be greater than 0');
    // The API takes whole seconds.
    return ms === 0 ? undefined : nowMs - Math.ceil(ms / 1000) * 1000;
  }
  if (sinceTime === undefined) return undefined;
  const time = parseTime(sinceTime);
  if (Number.isNaN(time)) throw usage(`--since-time is no RFC 3339 time: ${JSON.stringify(sinceTime)}`);
  return time;
}

function wholeNumber(flag: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw usage(`invalid argument ${JSON.stringify(text)} for "${flag}" flag: it must be a whole number`);
}
