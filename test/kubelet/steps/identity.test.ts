import { describe, expect, it } from 'vitest';
import { identityStep } from '../../../src/kubelet/steps/identity.ts';
import type { OwnRights } from '../../../src/lifecycle/security/own-rights.ts';
import { ROOT, USER } from '../../lifecycle/security/judged.ts';
import { changesOf, outcomeOf } from './one-start.ts';

const step = (rights: OwnRights, isBestEffort = false) => identityStep(() => rights, isBestEffort);
const as = (runAsUser: number) => ({ container: { securityContext: { runAsUser } } });
const defaults = { PATH: '/bin', USER: 'root', LOGNAME: 'root', SHELL: '/bin/bash', HOME: '/root' };

describe('the identity', () => {
  it('is podrun’s own without a security context', async () => {
    expect(await changesOf(step(ROOT), {}, { defaults })).toEqual({ identity: undefined, defaults });
  });

  it('of another user brings its home, and no name', async () => {
    const account = (uid: number) => (uid === 5 ? { gid: 5, groups: [], home: '/home/five' } : undefined);
    const rights = { ...ROOT, account };
    const [known, unknown] = await Promise.all([5, 6].map((uid) => changesOf(step(rights), as(uid), { defaults })));
    expect(known).toMatchObject({ identity: { uid: 5 }, defaults: { PATH: '/bin', HOME: '/home/five' } });
    expect(Object.keys(known?.defaults ?? {})).toEqual(['PATH', 'HOME']);
    expect(unknown?.defaults).toEqual({ PATH: '/bin', HOME: '/' });
  });

  it('is refused where podrun cannot give it, but for best effort', async () => {
    expect(await outcomeOf(step(USER), as(5))).toMatchObject({ ok: false, stage: 'create' });
    expect(await changesOf(step(USER, true), as(5), { defaults })).toEqual({ identity: undefined, defaults });
  });
});
