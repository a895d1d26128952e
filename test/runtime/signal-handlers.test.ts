import { describe, expect, it } from 'vitest';
import { makeRig, sh, until } from './support/process-rig.ts';
import { needs } from '../needs.ts';

const rig = makeRig();

describe('a stop signal tells whether a node would have to kill', needs('Linux'), () => {
  it.each([
    ['has no handler', 'echo up; while :; do sleep 0.02; done', true],
    ['has a handler', 'trap "exit 0" TERM; echo up; while :; do sleep 0.02; done', false],
    ['ignores it', 'trap "" TERM; echo up; while :; do sleep 0.02; done', false],
  ])('a program that %s', async (_what, script, isUnprepared) => {
    const started = await rig.start(sh(script));
    await until(() => started.text() === 'up\n', started.text);
    expect(started.container.signal('SIGTERM')).toBe(isUnprepared);
    started.container.kill();
    await started.gone;
    expect(started.container.signal('SIGTERM')).toBe(false);
  });
});
