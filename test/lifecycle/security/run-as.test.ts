import { describe, expect, it } from 'vitest';
import type { SecurityContext } from '../../../src/api/generated/types.ts';
import type { OwnRights } from '../../../src/lifecycle/security/own-rights.ts';
import { userOf } from '../../../src/lifecycle/security/run-as.ts';
import { judged, NAMESPACES, NO_SETPRIV, OWN_USERS, ROOT, USER, USUAL, type SecuritySettings } from './judged.ts';

it.each([
  ["podrun's own", undefined, { uid: 1000, gid: 1001, supplementalGroups: [1001, 4] }],
  ['another user, without groups', { uid: 5, gid: 6, groups: undefined }, { uid: 5, gid: 6, supplementalGroups: [6] }],
  ['another group', { uid: undefined, gid: 6, groups: [6, 4] }, { uid: 1000, gid: 6, supplementalGroups: [6, 4] }],
])('the status of a container names its user: %s', (_what, identity, linux) => {
  expect(userOf(identity, { uid: 1000, gid: 1001, groups: [1001, 4] })).toEqual({ linux });
});

describe('as whom a container runs', () => {
  const own = { uid: undefined, gid: undefined, groups: undefined };

  it.each<{ name: string; rights: OwnRights; settings: SecuritySettings; want: unknown }>([
    { name: 'root, asked nothing', rights: ROOT, settings: {}, want: undefined },
    { name: 'a user, asked nothing', rights: USER, settings: {}, want: undefined },
    {
      name: 'a user, asked for itself',
      rights: USER,
      settings: { pod: { runAsUser: 1000, runAsGroup: 1001 } },
      want: undefined,
    },
    {
      name: 'root, asked for a user without a name',
      rights: ROOT,
      settings: { pod: { runAsUser: 5 } },
      want: { uid: 5, gid: 0, groups: [0] },
    },
    {
      name: 'root, asked for a user that has groups',
      rights: ROOT,
      settings: { pod: { runAsUser: 70 } },
      want: { uid: 70, gid: 71, groups: [71, 72, 73] },
    },
    {
      name: 'root, asked for everything',
      rights: ROOT,
      settings: { pod: { runAsUser: 70, runAsGroup: 3, supplementalGroups: [4, 72], fsGroup: 5 } },
      want: { uid: 70, gid: 3, groups: [3, 72, 73, 4, 5] },
    },
    {
      name: 'root, asked for these groups and no others',
      rights: ROOT,
      settings: { pod: { runAsUser: 70, supplementalGroups: [4], fsGroup: 5, supplementalGroupsPolicy: 'Strict' } },
      want: { uid: 70, gid: 71, groups: [71, 4, 5] },
    },
    {
      name: 'root, asked for one more group',
      rights: ROOT,
      settings: { pod: { fsGroup: 5 } },
      want: { uid: undefined, gid: undefined, groups: [0, 27, 5] },
    },
    {
      name: 'root, asked for a group of its own',
      rights: ROOT,
      settings: { pod: { runAsGroup: 5 } },
      want: { uid: undefined, gid: 5, groups: [5, 0, 27] },
    },
    {
      name: 'the container overrules the Pod',
      rights: ROOT,
      settings: { pod: { runAsUser: 5 }, container: { runAsUser: 6, runAsGroup: 7 } },
      want: { uid: 6, gid: 7, groups: [7] },
    },
    {
      name: 'a user in its namespace',
      rights: OWN_USERS,
      settings: { pod: { runAsUser: 70, fsGroup: 5 } },
      want: { uid: 70, gid: 71, groups: undefined },
    },
    {
      name: 'a user as root in its namespace',
      rights: OWN_USERS,
      settings: { pod: { runAsUser: 0 } },
      want: { uid: 0, gid: 0, groups: undefined },
    },
    {
      name: 'what cannot be had is left out',
      rights: USER,
      settings: { pod: { runAsUser: 5 }, container: { allowPrivilegeEscalation: false } },
      want: own,
    },
  ])('$name', ({ rights, settings, want }) => {
    expect(judged(rights, settings).ids).toEqual(want);
  });

  it.each([
    { gid: 2 ** 32, groups: [] },
    { gid: 1, groups: [2 ** 32] },
    { gid: -1, groups: [] },
  ])('not with ids of the machine that the kernel would take for other ids: %j', (ids) => {
    const rights = { ...ROOT, account: () => ({ ...ids, home: '/' }) };
    const why = /^create: failed to create containerd container: uids and gids must be in range 0-2147483647/;
    for (const isBestEffort of [false, true]) {
      expect(judged(rights, { pod: { runAsUser: 5 } }).why(isBestEffort)).toMatch(why);
      expect(judged(rights, {}).why(isBestEffort)).toBeUndefined();
    }
  });

  it.each<{ name: string; rights: OwnRights; settings: SecuritySettings; want: readonly string[] | undefined }>([
    { name: 'root as a process keeps what podrun has', rights: ROOT, settings: {}, want: undefined },
    { name: 'root in a namespace has what a node gives, without mknod', rights: NAMESPACES, settings: {}, want: USUAL },
    { name: 'also as another user', rights: ROOT, settings: { pod: { runAsUser: 5 } }, want: USUAL },
    { name: 'privileged: all', rights: NAMESPACES, settings: { container: { privileged: true } }, want: undefined },
    {
      name: 'asked for',
      rights: ROOT,
      settings: { container: { capabilities: { drop: ['ALL'], add: ['CHOWN'] } } },
      want: ['chown'],
    },
    {
      name: 'not more than podrun has',
      rights: { ...ROOT, capabilities: ['setpcap', 'chown'] },
      settings: { container: { capabilities: { add: ['BPF'] } } },
      want: ['chown', 'setpcap'],
    },
    {
      name: 'podrun may not take any',
      rights: { ...NAMESPACES, capabilities: ['chown'] },
      settings: {},
      want: undefined,
    },
    { name: 'root in a user namespace', rights: OWN_USERS, settings: { pod: { runAsUser: 0 } }, want: USUAL },
    {
      name: 'no other user in a user namespace',
      rights: OWN_USERS,
      settings: { container: { capabilities: { drop: ['ALL'] } } },
      want: undefined,
    },
  ])('with which capabilities: $name', ({ rights, settings, want }) => {
    expect(judged(rights, settings).capabilities).toEqual(want);
  });

  it.each<{ name: string; rights: OwnRights; container: SecurityContext; want: boolean | undefined }>([
    {
      name: 'when nothing more is to be gained',
      rights: USER,
      container: { allowPrivilegeEscalation: false },
      want: true,
    },
    {
      name: 'when there is no program for it',
      rights: { ...USER, ...NO_SETPRIV },
      container: { allowPrivilegeEscalation: false },
      want: undefined,
    },
    {
      name: 'when a setuid program could give a user what it is to have lost',
      rights: USER,
      container: { capabilities: { drop: ['ALL'] } },
      want: true,
    },
    {
      name: 'when the bounding set keeps it from root',
      rights: ROOT,
      container: { capabilities: { drop: ['ALL'] } },
      want: false,
    },
    { name: 'when it is allowed', rights: USER, container: { allowPrivilegeEscalation: true }, want: undefined },
  ])('with no new privileges: $name', ({ rights, container, want }) => {
    expect(judged(rights, { container }).noNewPrivileges).toBe(want);
  });
});
