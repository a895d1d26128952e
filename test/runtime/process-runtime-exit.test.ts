import { constants } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ifThere } from '../live-files.ts';
import { childrenOf } from '../children-of.ts';
import { PATIENCE_MS } from '../patience.ts';
import {
  isRunning,
  makeRig,
  marked,
  markedPids,
  pidsOnceMarked,
  sh,
  until,
  type Started,
} from './support/process-rig.ts';
import { needs } from '../needs.ts';

const rig = makeRig();

async function ready(started: Started): Promise<void> {
  await until(() => started.text().startsWith('ready'), started.text);
}

describe('the exit of a container', () => {
  it('has the code of the process, whichever of the 256', async () => {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const seen: number[] = [];
    // Sixteen at a time, to limit the load of the machine.
    for (let from = 0; from < codes.length; from += 16) {
      const runs = codes.slice(from, from + 16).map((code) => rig.run(sh(`exit ${code}`)));
      seen.push(...(await Promise.all(runs)).map(({ exit }) => exit.exitCode));
    }
    expect(seen).toEqual(codes);
  });

  it.each(['SIGHUP', 'SIGINT', 'SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGUSR1'] as const)(
    'has the code 128 + n after %s',
    async (signal) => {
      const { exit } = await rig.run(sh(`kill -${signal.slice(3)} $$`));
      expect(exit).toMatchObject({ exitCode: 128 + constants.signals[signal], signal, oomKilled: false });
    },
  );

  it('lies between the start and now', async () => {
    const before = rig.clock.now();
    const { exit, started } = await rig.run(['true']);
    const times = [before, started.container.startedAt, exit.at, rig.clock.now()];
    expect(times.map(({ monotonicMs }) => monotonicMs)).toEqual(
      times.map(({ monotonicMs }) => monotonicMs).toSorted((a, b) => a - b),
    );
  });

  it('is reported at once, although a grandchild holds the output', async () => {
    const started = await rig.start(sh('setsid sleep 60 & echo ready; exit 4'));
    const exit = await started.exit;
    expect(exit.exitCode).toBe(4);
    expect(exit.at.monotonicMs - started.container.startedAt.monotonicMs).toBeLessThan(PATIENCE_MS);
    await exit.swept;
  });

  it('is not reported before its start', async () => {
    const order: string[] = [];
    const onExit = (): number => order.push('exit');
    await rig.start(['true'], { onExit });
    order.push('started');
    await until(
      () => order.length === 2,
      () => order.join(),
    );
    expect(order).toEqual(['started', 'exit']);
  });
});

describe('signals', () => {
  it('reach the main process only', async () => {
    const script =
      'trap "echo main; wait; exit 7" TERM; sh -c \'trap "echo child" TERM; echo ready; sleep 0.3 & wait\' & wait';
    const started = await rig.start(sh(script));
    await ready(started);
    started.container.signal('SIGTERM');
    expect((await started.exit).exitCode).toBe(7);
    expect(started.text()).toBe('ready\nmain\n');
  });

  it('end a program that has no handler', async () => {
    const started = await rig.start(sh('echo ready; exec sleep 60'));
    await ready(started);
    started.container.signal('SIGTERM');
    expect(await started.exit).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
  });

  it('may be real-time signals, as container runtimes number them', needs('Linux'), async () => {
    const started = await rig.start(
      sh('trap "echo min" 37; trap "echo max; exit 3" 62; echo ready; while :; do sleep 0.02; done'),
    );
    await ready(started);
    started.container.signal('SIGRTMIN+3');
    started.container.signal('SIGRTMAX-2');
    expect((await started.exit).exitCode).toBe(3);
    expect(started.text()).toBe('ready\nmin\nmax\n');
  });

  it('are SIGTERM where this machine does not have the requested signal', async () => {
    const started = await rig.start(sh('trap "exit 4" TERM; echo ready; while :; do sleep 0.02; done'));
    await ready(started);
    started.container.signal('SIGNOSUCH');
    expect((await started.exit).exitCode).toBe(4);
  });

  it('can be ignored, but for SIGKILL', async () => {
    const started = await rig.start(sh('trap "" TERM; echo ready; while :; do sleep 0.05; done'));
    await ready(started);
    started.container.signal('SIGTERM');
    // A second program runs from start to end: a first one that must die would have died by then.
    await rig.run(['true']);
    expect(isRunning(started.container.pid)).toBe(true);
    started.container.kill();
    expect(await started.exit).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
  });

  it('to a process that is gone are no error', async () => {
    const { started } = await rig.run(['true']);
    started.container.signal('SIGTERM');
    started.container.kill();
    expect((await started.exit).exitCode).toBe(0);
  });

  it('kill also reaches a main process that is stopped', async () => {
    const started = await rig.start(sh('echo ready; exec sleep 60'));
    await ready(started);
    started.container.signal('SIGSTOP');
    started.container.kill();
    expect((await started.exit).exitCode).toBe(137);
  });
});

describe('the processes of a container die with it', () => {
  const escapes: ReadonlyArray<{ readonly name: string; readonly script: string; readonly isCleared?: true }> = [
    { name: 'a child in the background', script: 'sleep 60 &' },
    { name: 'a child in a session of its own', script: 'setsid sleep 60 &' },
    { name: 'a daemon that forked twice', script: '(setsid sh -c "sleep 60 & sleep 60 &" &)' },
    { name: 'a child that ignores what it can', script: 'setsid sh -c \'trap "" TERM HUP INT; sleep 60; sleep 60\' &' },
    { name: 'a grandchild without environment, in the group', script: 'env -i sleep 60 &', isCleared: true },
    {
      name: 'a child without environment, in a session of its own, whose parent lives',
      script: 'setsid sh -c "env -i setsid sleep 60 & wait" &',
      isCleared: true,
    },
    { name: 'a stopped child', script: "setsid sh -c 'kill -STOP $$' &" },
  ];

  it.each(escapes)('$name', async ({ script, isCleared = false }) => {
    const started = await rig.start(sh(`${script}\necho ready; exec sleep 60`));
    await ready(started);
    const members = await descendantsOf(started, isCleared);
    started.container.kill();
    await started.gone;
    expect(members.filter(isRunning)).toEqual([]);
    expect(marked(started.id)).toEqual([]);
  });

  it.each(escapes)('$name, when the main process ends by itself', async ({ script }) => {
    const { started } = await rig.run(sh(`${script}\nexit 0`));
    expect(marked(started.id)).toEqual([]);
  });

  it('also a process that forks away again and again', async () => {
    const script = 'echo x; sleep 0.01; (setsid sh "$0" &)';
    const started = await rig.start([
      'sh',
      '-c',
      `printf '%s' '${script}' > again; (setsid sh again &); echo ready; sleep 60`,
    ]);
    await until(() => started.text().includes('x'), started.text);
    started.container.kill();
    await started.gone;
    expect(marked(started.id)).toEqual([]);
  });

  it('but not the processes of its neighbours', async () => {
    const neighbour = await rig.start(sh('(setsid sleep 60 &); echo ready; exec sleep 60'));
    await ready(neighbour);
    const before = await pidsOnceMarked(neighbour.id, 2);
    await rig.run(sh('(setsid sleep 60 &); exit 1'));
    expect(markedPids(neighbour.id)).toEqual(before);
    neighbour.container.kill();
    await neighbour.gone;
  });
});

describe('many starts', () => {
  it('leak no descriptor and no process', async () => {
    await rig.run(sh('echo warm'));
    const before = readdirSync('/proc/self/fd').length;
    // The watchdogs of this runtime, and of those of other test files.
    const watchdogs = childrenOf(process.pid);
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 10 }, () => rig.run(sh('echo out; echo err >&2'))));
      await Promise.all([rig.startFailing(['/no/such']), rig.run(['true', 'a\0b'])]);
    }
    await until(
      () => readdirSync('/proc/self/fd').length <= before,
      () => `${before} descriptors before, now ${readdirSync('/proc/self/fd').length}`,
    );
    // FIFOs for the next starts are made in the background.
    const others = (): number[] => childrenOf(process.pid).filter((pid) => !watchdogs.includes(pid));
    await until(
      () => others().length === 0,
      () => `children: ${others().join(', ')}`,
    );
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });
});

/**
 * The descendants of a container's main process, and the processes with the container's mark.
 * @param isCleared one of them clears its environment: it is found by its parent once it has
 */
async function descendantsOf(started: Started, isCleared: boolean): Promise<number[]> {
  const seen = new Set([started.container.pid]);
  const look = (): number[] => {
    for (const pid of markedPids(started.id)) seen.add(pid);
    for (const pid of seen) if (isRunning(pid)) for (const child of childrenOf(pid)) seen.add(child);
    return [...seen].filter(isRunning);
  };
  const hasCleared = (pid: number): boolean =>
    ifThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.startsWith('sleep\0') === true &&
    ifThere(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) === '';
  let found: number[] = [];
  await until(
    // The processes between two forks of a daemon end soon.
    () => (found = look()).length > 1 && (!isCleared || found.some(hasCleared)),
    () => marked(started.id).join(),
  );
  return found;
}
