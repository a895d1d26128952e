import { parseDuration, PodrunError, usage } from '../api/index.ts';

/** A fault that ends a container. */
export interface EndingFault {
  readonly type: 'kill' | 'exit' | 'oom';
  /** The words of the user. */
  readonly text: string;
  /** Undefined: any container. */
  readonly container: string | undefined;
  /** For `exit`. */
  readonly code: number;
  /** Once, so long after the beginning; or at a share of all starts. Undefined: once, when the seed says. */
  readonly when: { readonly atMs: number } | { readonly share: number } | undefined;
}

/** The time of a fault that lasts, after the beginning. */
interface Window {
  readonly text: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface LastingFault extends Window {
  readonly container: string | undefined;
}

/** A fault that cuts Pods off from the network. */
export interface Partition extends Window {
  readonly type: 'partition';
  /** The name of a Pod, or of the workload that makes Pods. */
  readonly name: string;
}

/** A fault of a node. */
export interface NodeFault extends Window {
  readonly type: 'node';
  /** Undefined: the seed chooses. */
  readonly name: string | undefined;
  readonly state: 'crashed' | 'silent' | 'shutdown';
}

export type InjectedFault =
  | EndingFault
  | NodeFault
  | (LastingFault & { readonly type: 'probe'; readonly probe: string })
  | (LastingFault & { readonly type: 'image' })
  | Partition
  | { readonly type: 'clock'; readonly text: string; readonly byMs: number; readonly atMs: number };

const NAME = String.raw`(?::(?<container>[a-z0-9][-a-z0-9]*))?`;
const AT = String.raw`(?:@(?<at>[^@]+))?`;
const ENDING = new RegExp(String.raw`^(?<type>kill|oom|exit:(?<code>\d{1,3}))${NAME}${AT}$`);
const PROBE = new RegExp(String.raw`^probe:(?<probe>readiness|liveness|startup)${NAME}=fail${AT}$`);
const IMAGE = new RegExp(`^image-pull-fail${NAME}${AT}$`);
const PARTITION = new RegExp(`^partition:(?<name>[a-z0-9][-a-z0-9.]*)${AT}$`);
const NODE = new RegExp(`^node(?::(?<name>[a-z0-9][-a-z0-9.]*))?=(?<what>crash|silent|shutdown)${AT}$`);
const NODE_STATES = { crash: 'crashed', silent: 'silent', shutdown: 'shutdown' } as const;
const CLOCK = /^clock(?<by>[+-][^@]+)(?:@(?<at>[^@]+))?$/;

/**
 * Reads a fault: `kill:app@5s`.
 * @throws {PodrunError} (usage) for a text outside of the grammar
 */
export function readFault(text: string): InjectedFault {
  const ending = ENDING.exec(text)?.groups;
  if (ending !== undefined) {
    const type = text.startsWith('exit') ? 'exit' : text.startsWith('oom') ? 'oom' : 'kill';
    const code = Number(ending['code'] ?? 0);
    if (code > 255) throw mistake(text, `${code} is no exit code`);
    return { type, text, container: ending['container'], code, when: readWhen(text, ending['at']) };
  }
  const probe = PROBE.exec(text)?.groups;
  if (probe !== undefined) return { type: 'probe', probe: probe['probe'] ?? '', ...lasting(text, probe) };
  const image = IMAGE.exec(text)?.groups;
  if (image !== undefined) return { type: 'image', ...lasting(text, image) };
  const partition = PARTITION.exec(text)?.groups;
  if (partition !== undefined)
    return { type: 'partition', name: partition['name'] ?? '', ...readWindow(text, partition['at']) };
  const node = NODE.exec(text)?.groups;
  if (node !== undefined) {
    const state = NODE_STATES[node['what'] as keyof typeof NODE_STATES];
    return { type: 'node', name: node['name'], state, ...readWindow(text, node['at']) };
  }
  const clock = CLOCK.exec(text)?.groups;
  if (clock === undefined) throw mistake(text, 'there is no such fault');
  return { type: 'clock', text, byMs: duration(text, clock['by']), atMs: duration(text, clock['at'] ?? '0s') };
}

function readWhen(text: string, at: string | undefined): EndingFault['when'] {
  if (at === undefined) return undefined;
  if (!at.endsWith('%')) return { atMs: positive(text, at) };
  const percent = Number(at.slice(0, -1));
  if (percent > 0 && percent <= 100) return { share: percent / 100 };
  throw mistake(text, `${at} is no share of starts`);
}

function lasting(text: string, { container, at }: Readonly<Record<string, string | undefined>>): LastingFault {
  return { container, ...readWindow(text, at) };
}

function readWindow(text: string, at: string = '0s'): Window {
  const [from = '0s', length] = at.split('+');
  const fromMs = positive(text, from);
  return { text, fromMs, untilMs: length === undefined ? Infinity : fromMs + positive(text, length) };
}

function positive(text: string, of: string): number {
  const ms = duration(text, of);
  if (ms >= 0) return ms;
  throw mistake(text, `${of} is before the beginning`);
}

function duration(text: string, of = ''): number {
  try {
    return parseDuration(of);
  } catch (error) {
    if (error instanceof PodrunError) throw mistake(text, `${JSON.stringify(of)} is no duration`);
    throw error;
  }
}

function mistake(text: string, why: string): PodrunError {
  return usage(`invalid --inject ${JSON.stringify(text)}: ${why}`, 'podrun apply --help lists the faults.');
}
