import type { Container, PodSpec, Probe } from '../../src/api/generated/types.ts';

/** A placeholder for the folder in which podrun runs. Containers share it with the host. */
export const SHARED_FOLDER = '/shared-folder';

/** Mount paths of volumes that do not exist on the host: one in a copy of the root, one in the shared folder. */
const MOUNT_PATHS = ['/chaos-data', `${SHARED_FOLDER}/mounted/here`] as const;

/** An event that hits the podrun of a Pod. */
export type Blow =
  /** SIGKILL, which no process can handle. */
  | { readonly type: 'kill' }
  /** SIGSTOP, and SIGCONT after a while. */
  | { readonly type: 'pause'; readonly ms: number }
  /** SIGSTOP, then SIGKILL. */
  | { readonly type: 'pauseAndKill'; readonly ms: number }
  /** A signal that asks podrun to end. */
  | { readonly type: 'ask'; readonly signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' }
  /** SIGTERM, then SIGKILL while podrun ends. */
  | { readonly type: 'askAndKill'; readonly ms: number };

export interface Scenario {
  readonly seed: number;
  readonly spec: PodSpec;
  /** The time of the blow, milliseconds after the start of podrun. */
  readonly atMs: number;
  readonly blow: Blow;
}

/** A pseudo-random generator, which repeats with the same seed (mulberry32). */
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

  /** A whole number between two bounds, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] ?? choices[0];
  }

  /** True with this probability. */
  is(share: number): boolean {
    return this.next() < share;
  }
}

/** The scenario for a seed, always the same. */
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

/** Limits that no container of a scenario reaches: the tests check that their cgroups are removed. */
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
 * A script that writes numbered lines to stdout, and each number to a ledger behind it: a number in the ledger was
 * written to stdout before. It may start children that outlive it.
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
