import { describe, expect, it } from 'vitest';
import type { OwnRights } from '../../../src/lifecycle/security/own-rights.ts';
import { judged, NAMESPACES, NO_FILTERS, NO_SETPRIV, OWN_USERS, ROOT, USER, type SecuritySettings } from './judged.ts';

describe('why a container does not start', () => {
  const REMEDY = '. --best-effort starts the container anyway';

  it.each<{ name: string; rights: OwnRights; settings: SecuritySettings; says: string }>([
    {
      name: 'a user cannot be another',
      rights: USER,
      settings: { pod: { runAsUser: 5, runAsGroup: 6 } },
      says:
        'create: spec.securityContext.runAsUser: not 5: podrun is user 1000, and only root can change that; ' +
        'spec.securityContext.runAsGroup: not 6: podrun is group 1001, and only root can change that. ' +
        'Run podrun as root, or with --runtime namespace, where this machine permits it (see podrun doctor). --best',
    },
    {
      name: 'nor in another group',
      rights: USER,
      settings: { container: { runAsGroup: 20 } },
      says: 'create: spec.containers[0].securityContext.runAsGroup: not 20: podrun is group 1001, and only root can',
    },
    {
      name: 'root has no setpriv',
      rights: { ...ROOT, ...NO_SETPRIV },
      settings: { pod: { runAsUser: 5 } },
      says: 'create: spec.securityContext.runAsUser: not 5: podrun is user 0, and there is no setpriv of util-linux to',
    },
    {
      name: 'root may not change users',
      rights: { ...ROOT, capabilities: [] },
      settings: { pod: { runAsUser: 5 } },
      says: 'create: spec.securityContext.runAsUser: not 5: podrun is user 0, and lacks CAP_SETUID and CAP_SETGID',
    },
    {
      name: 'there is no root file system of its own',
      rights: ROOT,
      settings: { container: { readOnlyRootFilesystem: true } },
      says:
        'create: spec.containers[0].securityContext.readOnlyRootFilesystem: the container has no file system of its ' +
        'own. Take --runtime namespace, where this',
    },
    {
      name: 'there is no such profile',
      rights: NAMESPACES,
      settings: { pod: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } } },
      says: 'create: spec.securityContext.appArmorProfile: podrun cannot load profiles',
    },
    {
      name: 'root is root everywhere',
      rights: NAMESPACES,
      settings: { spec: { hostUsers: false } },
      says: 'create: spec.hostUsers: podrun is root: users of the container are users of the machine',
    },
  ])('$name', ({ rights, settings, says }) => {
    const { why } = judged(rights, settings);
    expect(why(false)?.startsWith(says)).toBe(true);
    expect(why(false)?.endsWith(REMEDY)).toBe(true);
    expect(why(true)).toBeUndefined();
  });

  const WHO = '(pod: "web_default(u1)", container: main)';

  it.each<{ name: string; rights: OwnRights; settings: SecuritySettings; says: string }>([
    {
      name: 'would be root',
      rights: ROOT,
      settings: { pod: { runAsNonRoot: true } },
      says: `container has runAsNonRoot and image will run as root ${WHO}`,
    },
    {
      name: 'says it is root',
      rights: USER,
      settings: { pod: { runAsNonRoot: true }, container: { runAsUser: 0 } },
      says: `container's runAsUser breaks non-root policy ${WHO}`,
    },
    {
      name: 'would be root when no other user is available',
      rights: { ...ROOT, ...NO_SETPRIV },
      settings: { pod: { runAsNonRoot: true, runAsUser: 5 } },
      says: `container has runAsNonRoot and image will run as root ${WHO}`,
    },
  ])("kubelet's own rule holds in any case: it must not be root, and $name", ({ rights, settings, says }) => {
    expect(judged(rights, settings).why(true)).toBe(`config: ${says}`);
  });

  it.each<{ name: string; rights: OwnRights; settings: SecuritySettings }>([
    { name: 'not to be root is asked of a user', rights: USER, settings: { pod: { runAsNonRoot: true } } },
    {
      name: 'root is asked not to be root but another',
      rights: ROOT,
      settings: { pod: { runAsNonRoot: true, runAsUser: 5 } },
    },
    {
      name: 'the root file system is its own',
      rights: OWN_USERS,
      settings: { container: { readOnlyRootFilesystem: true } },
    },
    { name: 'a user has no root to be kept from', rights: USER, settings: { spec: { hostUsers: false } } },
    {
      name: 'profiles belong to the machine',
      rights: ROOT,
      settings: { pod: { seccompProfile: { type: 'RuntimeDefault' }, appArmorProfile: { type: 'Unconfined' } } },
    },
  ])('nothing is said when $name', ({ rights, settings }) => {
    expect(judged(rights, settings).why(false)).toBeUndefined();
  });
});

describe('the notices of a container', () => {
  const CONTEXT = 'spec.containers[0].securityContext';

  it.each<{ name: string; rights: OwnRights; settings: SecuritySettings; notices: readonly string[] }>([
    {
      name: 'nothing',
      rights: ROOT,
      settings: { pod: { runAsUser: 5, fsGroup: 6, supplementalGroups: [7] }, container: { privileged: true } },
      notices: [],
    },
    {
      name: 'groups of others',
      rights: USER,
      settings: { pod: { supplementalGroups: [20, 7, 8] } },
      notices: [
        'spec.securityContext.supplementalGroups: podrun is not root and not in group 7, 8: ' +
          'neither is the container',
      ],
    },
    { name: 'groups that it is in', rights: USER, settings: { pod: { supplementalGroups: [20, 1001] } }, notices: [] },
    {
      name: 'fewer groups',
      rights: USER,
      settings: { pod: { supplementalGroupsPolicy: 'Strict' } },
      notices: [
        'spec.securityContext.supplementalGroupsPolicy: podrun is not root: the container keeps all groups of podrun',
      ],
    },
    {
      name: 'rights of root',
      rights: USER,
      settings: { container: { privileged: true } },
      notices: [`${CONTEXT}.privileged: podrun is not root: the container has no more rights than podrun`],
    },
    {
      name: 'capabilities of a user',
      rights: USER,
      settings: { container: { capabilities: { add: ['BPF'], drop: ['KILL'] } } },
      notices: [`${CONTEXT}.capabilities.add: podrun is not root: the container has no more rights than podrun`],
    },
    {
      name: 'capabilities that a node would not make effective',
      rights: USER,
      settings: { pod: { runAsUser: 1000 }, container: { capabilities: { add: ['BPF'] } } },
      notices: [],
    },
    {
      name: 'capabilities that podrun lacks',
      rights: { ...ROOT, capabilities: ['setpcap'] },
      settings: { container: { capabilities: { add: ['BPF', 'ALL'] } } },
      notices: [`${CONTEXT}.capabilities.add: podrun does not have BPF itself`],
    },
    {
      name: 'those it cannot lose',
      rights: { ...ROOT, ...NO_SETPRIV },
      settings: { container: { capabilities: { drop: ['KILL'] } } },
      notices: [
        `${CONTEXT}.capabilities.drop: podrun cannot take KILL away: that needs setpriv of util-linux and CAP_SETPCAP`,
      ],
    },
    {
      name: 'names that are none',
      rights: ROOT,
      settings: { container: { capabilities: { drop: ['CAP_KILL'] } } },
      notices: [`${CONTEXT}.capabilities.drop: Linux has no capability CAP_KILL: a node ignores it, too. Omit CAP_`],
    },
    {
      name: 'rights over the machine',
      rights: OWN_USERS,
      settings: { pod: { runAsUser: 0 }, container: { capabilities: { add: ['BPF'] } } },
      notices: [`${CONTEXT}.capabilities.add: only effective in its own user namespace: no rights over the machine`],
    },
    {
      name: 'no new privileges',
      rights: { ...USER, ...NO_SETPRIV },
      settings: { container: { allowPrivilegeEscalation: false } },
      notices: [`${CONTEXT}.allowPrivilegeEscalation: this needs setpriv of util-linux, which is missing`],
    },
    {
      name: 'a filter of system calls',
      rights: { ...ROOT, ...NO_FILTERS },
      settings: {
        pod: { seccompProfile: { type: 'RuntimeDefault' } },
        container: { seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } },
      },
      notices: [
        `${CONTEXT}.seccompProfile: nothing loads filters of system calls here: that needs perl, on x86-64 or arm64. ` +
          'All calls are permitted',
      ],
    },
    {
      name: 'no filter',
      rights: { ...ROOT, ...NO_FILTERS },
      settings: { pod: { seccompProfile: { type: 'Unconfined' } } },
      notices: [],
    },
    {
      name: 'a filter that a privileged container never has',
      rights: { ...ROOT, ...NO_FILTERS },
      settings: { container: { privileged: true, seccompProfile: { type: 'RuntimeDefault' } } },
      notices: [],
    },
  ])('$name', ({ rights, settings, notices }) => {
    expect(judged(rights, settings).notices).toEqual(notices);
  });
});
