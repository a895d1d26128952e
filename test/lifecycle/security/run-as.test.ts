import { describe, expect, it } from 'vitest';
import type { SecurityContext } from '../../../src/api/generated/types.ts';
import type { Powers } from '../../../src/lifecycle/security/powers.ts';
import { judged, NAMESPACES, NO_SETPRIV, OWN_USERS, ROOT, USER, USUAL, type Wish } from './judged.ts';

describe('as whom a container runs', () => {
  const own = { uid: undefined, gid: undefined, groups: undefined };

  it.each<{ name: string; powers: Powers; wish: Wish; want: unknown }>([
    { name: 'root, asked nothing', powers: ROOT, wish: {}, want: undefined },
    { name: 'a user, asked nothing', powers: USER, wish: {}, want: undefined },
    {
      name: 'a user, asked for itself',
      powers: USER,
      wish: { pod: { runAsUser: 1000, runAsGroup: 1001 } },
      want: undefined,
    },
    {
      name: 'root, asked for a user without a name',
      powers: ROOT,
      wish: { pod: { runAsUser: 5 } },
      want: { uid: 5, gid: 0, groups: [0] },
    },
    {
      name: 'root, asked for a user that has groups',
      powers: ROOT,
      wish: { pod: { runAsUser: 70 } },
      want: { uid: 70, gid: 71, groups: [71, 72, 73] },
    },
    {
      name: 'root, asked for everything',
      powers: ROOT,
      wish: { pod: { runAsUser: 70, runAsGroup: 3, supplementalGroups: [4, 72], fsGroup: 5 } },
      want: { uid: 70, gid: 3, groups: [3, 72, 73, 4, 5] },
    },
    {
      name: 'root, asked for these groups and no others',
      powers: ROOT,
      wish: { pod: { runAsUser: 70, supplementalGroups: [4], fsGroup: 5, supplementalGroupsPolicy: 'Strict' } },
      want: { uid: 70, gid: 71, groups: [71, 4, 5] },
    },
    {
      name: 'root, asked for one more group',
      powers: ROOT,
      wish: { pod: { fsGroup: 5 } },
      want: { uid: undefined, gid: undefined, groups: [0, 27, 5] },
    },
    {
      name: 'root, asked for a group of its own',
      powers: ROOT,
      wish: { pod: { runAsGroup: 5 } },
      want: { uid: undefined, gid: 5, groups: [5, 0, 27] },
    },
    {
      name: 'the container overrules the Pod',
      powers: ROOT,
      wish: { pod: { runAsUser: 5 }, container: { runAsUser: 6, runAsGroup: 7 } },
      want: { uid: 6, gid: 7, groups: [7] },
    },
    {
      name: 'a user in its namespace',
      powers: OWN_USERS,
      wish: { pod: { runAsUser: 70, fsGroup: 5 } },
      want: { uid: 70, gid: 71, groups: undefined },
    },
    {
      name: 'a user as root in its namespace',
      powers: OWN_USERS,
      wish: { pod: { runAsUser: 0 } },
      want: { uid: 0, gid: 0, groups: undefined },
    },
    {
      name: 'what cannot be had is left out',
      powers: USER,
      wish: { pod: { runAsUser: 5 }, container: { allowPrivilegeEscalation: false } },
      want: own,
    },
  ])('$name', ({ powers, wish, want }) => {
    expect(judged(powers, wish).ids).toEqual(want);
  });

  it.each<{ name: string; powers: Powers; wish: Wish; want: readonly string[] | undefined }>([
    { name: 'root as a process keeps what podrun has', powers: ROOT, wish: {}, want: undefined },
    { name: 'root in a namespace has what a node gives, without mknod', powers: NAMESPACES, wish: {}, want: USUAL },
    { name: 'also as another user', powers: ROOT, wish: { pod: { runAsUser: 5 } }, want: USUAL },
    { name: 'privileged: all', powers: NAMESPACES, wish: { container: { privileged: true } }, want: undefined },
    {
      name: 'asked for',
      powers: ROOT,
      wish: { container: { capabilities: { drop: ['ALL'], add: ['CHOWN'] } } },
      want: ['chown'],
    },
    {
      name: 'not more than podrun has',
      powers: { ...ROOT, capabilities: ['setpcap', 'chown'] },
      wish: { container: { capabilities: { add: ['BPF'] } } },
      want: ['chown', 'setpcap'],
    },
    { name: 'podrun may not take any', powers: { ...NAMESPACES, capabilities: ['chown'] }, wish: {}, want: undefined },
    { name: 'root in a user namespace', powers: OWN_USERS, wish: { pod: { runAsUser: 0 } }, want: USUAL },
    {
      name: 'nobody else in a user namespace',
      powers: OWN_USERS,
      wish: { container: { capabilities: { drop: ['ALL'] } } },
      want: undefined,
    },
  ])('with which capabilities: $name', ({ powers, wish, want }) => {
    expect(judged(powers, wish).capabilities).toEqual(want);
  });

  it.each<{ name: string; powers: Powers; container: SecurityContext; want: boolean | undefined }>([
    {
      name: 'when nothing more is to be gained',
      powers: USER,
      container: { allowPrivilegeEscalation: false },
      want: true,
    },
    {
      name: 'when there is no program for it',
      powers: { ...USER, ...NO_SETPRIV },
      container: { allowPrivilegeEscalation: false },
      want: undefined,
    },
    {
      name: 'when a setuid program could give a user what it is to have lost',
      powers: USER,
      container: { capabilities: { drop: ['ALL'] } },
      want: true,
    },
    {
      name: 'when the bounding set keeps it from root',
      powers: ROOT,
      container: { capabilities: { drop: ['ALL'] } },
      want: false,
    },
    { name: 'when it is allowed', powers: USER, container: { allowPrivilegeEscalation: true }, want: undefined },
  ])('with no new privileges: $name', ({ powers, container, want }) => {
    expect(judged(powers, { container }).noNewPrivileges).toBe(want);
  });
});
