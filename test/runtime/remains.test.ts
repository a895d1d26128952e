import { describe, expect, it } from 'vitest';
import { startTimeOf, type ProcessIdentity } from '../../src/runtime/watch/process-identity.ts';
import { endRemains } from '../../src/runtime/remains.ts';
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

const rig = makeRig();

async function startReady(script: string): Promise<{ started: Started; main: ProcessIdentity }> {
  const started = await rig.start(sh(`${script}\necho ready; exec sleep 60`));
  await until(() => started.text() === 'ready\n', started.text);
  const { pid } = started.container;
  return { started, main: { pid, startTime: startTimeOf(pid) ?? '' } };
}

describe('endRemains()', () => {
  it('ends the main processes, their groups and what escaped from them', async () => {
    const first = await startReady('sleep 60 & (setsid sleep 60 &)');
    const second = await startReady('env -i sleep 60 &');
    await endRemains(
      [first, second].map(({ started, main }) => ({ id: started.id, main })),
      rig.clock,
    );
    expect([...marked(first.started.id), ...marked(second.started.id)]).toEqual([]);
    expect((await first.started.exit).exitCode).toBe(137);
    expect((await second.started.exit).exitCode).toBe(137);
  });

  it('finds a container by its mark when its process was never recorded', async () => {
    const { started } = await startReady('(setsid sleep 60 &)');
    await endRemains([{ id: started.id, main: undefined }], rig.clock);
    expect(marked(started.id)).toEqual([]);
    expect((await started.exit).exitCode).toBe(137);
  });

  it('finds what escaped when the main process is gone', async () => {
    const { started, main } = await startReady('(setsid sleep 60 &)');
    const escaped = (await pidsOnceMarked(started.id, 2)).filter((pid) => pid !== main.pid);
    process.kill(main.pid, 'SIGKILL');
    await endRemains([{ id: started.id, main }], rig.clock);
    expect(escaped.filter(isRunning)).toEqual([]);
    await started.gone;
  });

  it('leaves a process alone that has got the pid of a container', async () => {
    const { started, main } = await startReady('sleep 60 &');
    const before = await pidsOnceMarked(started.id, 2);
    await endRemains([{ id: 'of an earlier time', main: { pid: main.pid, startTime: '1' } }], rig.clock);
    expect(markedPids(started.id)).toEqual(before);
    started.container.kill();
    await started.gone;
  });

  it('has nothing to do when nothing is left', async () => {
    await expect(endRemains([], rig.clock)).resolves.toBeUndefined();
    const gone = { id: 'gone', main: { pid: 2 ** 30, startTime: '1' } };
    await expect(endRemains([gone], rig.clock)).resolves.toBeUndefined();
  });
});
