import type { Container, PodSpec, Probe } from '../../src/api/generated/types.ts';

/** Stands for the folder that podrun runs in, which containers share with the host. */
export const SHARED_FOLDER = '/shared-folder';

/** Where a volume is mounted that the host has no place for: in a copy of the root, or in the shared folder. */
const MOUNT_PATHS = ['/chaos-data', `${SHARED_FOLDER}/mounted/here`] as const;

/** What befalls the podrun that runs a Pod. */
export type Blow =
  /** As nobody can react to it. */
  | { readonly type: 'kill' }
  /** It stands still for a while, and then goes on. */
  | { readonly type: 'pause'; readonly ms: number }
  /** It stands still, and is then killed. */
  | { readonly type: 'pauseAndKill'; readonly ms: number }
  /** Something asks it to end. */
  | { readonly type: 'ask'; readonly signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' }
  /** Asked to end, then killed while it does. */
  | { readonly type: 'askAndKill'; readonly ms: number };

export interface Scenario {
  readonly seed: number;
  readonly spec: PodSpec;
  /** When the blow comes, milliseconds after podrun was started. */
  readonly atMs: number;
  readonly blow: Blow;
}

/** Chance that comes again with the same seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] ?? choices[0];
  }

  /** True that often. */
  is(share: number): boolean {
    return this.next() < share;
  }
}

/** The scenario of a seed: always the same. */
export function scenarioOf(seed: number): Scenario {
  const chance = new Chance(seed);
  return { seed, spec: podOf(chance), atMs: chance.between(0, 900), blow: blowOf(chance) };
}

function blowOf(chance: Chance): Blow {
  const ms = chance.between(1, 400);
  return chance.pick<Blow>([
    { type: 'kill' },
    { type: 'kill' },
    { type: 'kill' },
    { type: 'pause', ms },
    { type: 'pauseAndKill', ms },
    { type: 'ask', signal: chance.pick(['SIGTERM', 'SIGINT', 'SIGHUP']) },
    { type: 'askAndKill', ms },
  ]);
}

function podOf(chance: Chance): PodSpec {
  const init = Array.from({ length: chance.between(0, 2) }, (_, index) =>
    chance.is(0.4)
      ? { ...container(chance, `side${index}`, 1000), restartPolicy: 'Always' as const }
      : container(chance, `init${index}`, chance.between(0, 5)),
  );
  const regular = Array.from({ length: chance.between(1, 3) }, (_, index) =>
    container(chance, `main${index}`, chance.between(0, 80)),
  );
  return {
    restartPolicy: chance.pick(['Never', 'OnFailure', 'Always']),
    terminationGracePeriodSeconds: chance.pick([0, 1, 1, 2]),
    ...(init.length === 0 ? {} : { initContainers: init }),
    containers: regular,
    volumes: [{ name: 'data', emptyDir: chance.is(0.3) ? { medium: 'Memory' } : {} }],
  };
}

function container(chance: Chance, name: string, lines: number): Container {
  const isRegular = name.startsWith('main');
  const exitCode = isRegular && chance.is(0.3) ? chance.between(1, 3) : 0;
  const lifecycle = {
    ...(chance.is(0.2) ? { postStart: { exec: { command: ['sh', '-c', `sleep 0.${chance.between(0, 9)}`] } } } : {}),
    ...(chance.is(0.2) ? { preStop: { exec: { command: ['sh', '-c', `sleep 0.${chance.between(0, 9)}`] } } } : {}),
  };
  const canLive = isRegular || name.startsWith('side');
  return {
    name,
    image: 'busybox',
    command: ['sh', '-c', script({ chance, lines, exitCode })],
    ...(chance.is(0.2) ? { resources: { limits: limits(chance) } } : {}),
    ...(chance.is(0.3) ? { volumeMounts: [{ name: 'data', mountPath: chance.pick(MOUNT_PATHS) }] } : {}),
    ...(canLive && Object.keys(lifecycle).length > 0 ? { lifecycle } : {}),
    ...(canLive && chance.is(0.3) ? { readinessProbe: probe(chance) } : {}),
    ...(canLive && chance.is(0.2) ? { startupProbe: { ...probe(chance), failureThreshold: 100 } } : {}),
  };
}

/** None that what it runs would reach: they are there to be tidied up. */
function limits(chance: Chance): Record<string, string> {
  return chance.pick<Record<string, string>>([{ memory: '200Mi' }, { cpu: '500m' }, { memory: '300Mi', cpu: '1' }]);
}

function probe(chance: Chance): Probe {
  const command = chance.pick([['true'], ['false'], ['sleep', '5'], ['sh', '-c', 'setsid -f sleep 30']]);
  return { periodSeconds: 1, timeoutSeconds: 1, exec: { command } };
}

interface Script {
  readonly chance: Chance;
  readonly lines: number;
  readonly exitCode: number;
}

/**
 * Writes numbered lines to stdout and, after each, its number to a ledger of its own: what is in the ledger was written
 * to stdout before. What it starts beside that is there to be forgotten.
 */
function script({ chance, lines, exitCode }: Script): string {
  const trap = chance.pick([':', ':', 'trap "" TERM INT HUP', 'trap "exit 0" TERM']);
  const child = chance.pick([
    ':',
    ':',
    'sleep 300 &',
    '(setsid sleep 300 &)',
    'setsid -f sh -c "trap \\"\\" TERM; while :; do sleep 0.1; done"',
    '(sh -c "(trap \\"\\" TERM HUP; sleep 300) &" &)',
  ]);
  const pad = 'x'.repeat(chance.pick([1, 10, 200, 3000]));
  return [
    trap,
    'read -r id </proc/sys/kernel/random/uuid',
    child,
    'echo "begin $id"',
    'i=0',
    `while [ $i -lt ${lines} ]; do`,
    `echo "$i ${pad}"; echo $i >>"$LEDGER/$id"; i=$((i+1)); sleep 0.0${chance.between(1, 9)}`,
    'done',
    `exit ${exitCode}`,
  ].join('\n');
}
