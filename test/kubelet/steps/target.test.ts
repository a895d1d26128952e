import { describe, expect, it } from 'vitest';
import { clientSocketStep } from '../../../src/kubelet/steps/client-socket.ts';
import { limitsStep } from '../../../src/kubelet/steps/limits.ts';
import { networkStep } from '../../../src/kubelet/steps/network.ts';
import type { LaunchInput } from '../../../src/kubelet/steps/step.ts';
import { targetStep } from '../../../src/kubelet/steps/target.ts';
import { changesOf } from './one-start.ts';

const debug = { name: 'debug', image: 'busybox', targetContainerName: 'main' };
const spec = { containers: [{ name: 'main', image: 'app' }], ephemeralContainers: [debug] };

describe('the target of an ephemeral container', () => {
  it('lends its variables and its folder', async () => {
    const asked: LaunchInput[] = [];
    const step = targetStep((input) => {
      asked.push(input);
      const launch = { argv: ['app'] as const, env: { COLOR: 'red' }, cwd: '/srv', stdin: false };
      return Promise.resolve({ ok: true, launch, notices: [] });
    });
    expect(await changesOf(step, { container: debug, spec }, { defaults: { COLOR: 'blue', A: '1' } })).toEqual({
      cwd: '/srv',
      defaults: { COLOR: 'red', A: '1' },
    });
    expect(asked.map(({ container }) => container)).toEqual([{ name: 'main', image: 'app' }]);
  });

  it('may be what is wrong: an event says why it lends nothing', async () => {
    const step = targetStep(() => Promise.resolve({ ok: false, stage: 'config', message: 'no such key' }));
    const { notices, ...others } = await changesOf(step, { container: debug, spec });
    expect(others).toEqual({});
    expect(notices).toHaveLength(1);
    expect(notices?.[0]?.message).toContain('no such key');
  });
});

describe('an ephemeral container', () => {
  it('has its socket before it starts; other containers get theirs later', async () => {
    const expected: string[] = [];
    const step = clientSocketStep({ expect: async (_pod, { name }) => void expected.push(name) }, false);
    await changesOf(step, { container: debug, spec });
    await changesOf(step, { spec });
    expect(expected).toEqual(['debug']);
  });
});

describe('what a container gets of its Pod', () => {
  it('is its network', async () => {
    const network = { nsenter: '/bin/nsenter', holderPid: 1, isUsers: false };
    expect(await changesOf(networkStep, { sandbox: { network } })).toEqual({ network });
    expect(await changesOf(networkStep)).toEqual({ network: undefined });
  });

  it('is its share of the limits', async () => {
    const resources = { limits: { memory: '1Mi' } };
    expect(await changesOf(limitsStep(undefined))).toEqual({ limits: undefined });
    expect(await changesOf(limitsStep(9), { container: { resources } })).toMatchObject({
      limits: { memoryBytes: 1024 * 1024, together: { pids: 9 } },
    });
  });
});
