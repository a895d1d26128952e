import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { findAccount, imageIdentity, type ImageUserInput } from '../../../src/lifecycle/images/image-identity.ts';
import { programOfImage } from '../../../src/lifecycle/images/image-program.ts';
import type { ImageRunConfig } from '../../../src/lifecycle/base/image-types.ts';
import type { OwnRights } from '../../../src/lifecycle/security/own-rights.ts';

const PASSWD = 'root:x:0:0:root:/root:/bin/sh\n+::::::\napp:x:1000:1001::/home/app:/bin/sh\napp:x:7:7::/no:/bin/sh\n';
const GROUP = 'root:x:0:\nextra:x:2000:app,other\nbin:x:1:root\nbad:x:x:app\n';

describe('the program of a container of an image', () => {
  const image: ImageRunConfig = {
    Entrypoint: ['entry', '$(A)'],
    Cmd: ['default'],
    Env: ['A=1=2', 'B'],
    WorkingDir: '/srv',
  };
  const words = (container: Partial<Container>, config: ImageRunConfig = image): string => {
    const outcome = programOfImage({ name: 'main', ...container }, config, 'id');
    return outcome.ok ? outcome.program.argv.join(' ') : outcome.message;
  };

  it.each([
    ['comes from the image', {}, 'entry $$(A) default'],
    ['has the args of the manifest in place of CMD', { args: ['other'] }, 'entry $$(A) other'],
    ['is the command, without anything of the image', { command: ['mine'] }, 'mine'],
    ['is the command with its args', { command: ['mine'], args: ['$(A)'] }, 'mine $(A)'],
  ])('%s', (_what, container, expected) => {
    expect(words(container)).toBe(expected);
  });

  it('may be missing', () => {
    expect(words({}, { Entrypoint: null, Cmd: null })).toMatch(/no command specified$/);
    expect(words({ args: ['ls'] }, {})).toBe('ls');
  });

  it('has the variables and the folder of the image, and a PATH', () => {
    const outcome = programOfImage({ name: 'main' }, image, 'id');
    expect(outcome).toMatchObject({ program: { env: { A: '1=2', B: '' }, workingDir: '/srv' } });
    expect(outcome).toMatchObject({
      program: { env: { PATH: expect.stringMatching(/^\/usr\/local\/sbin:/) as string } },
    });
    const own = programOfImage({ name: 'main', workingDir: '/own' }, { ...image, Env: ['PATH=/bin'] }, 'id');
    expect(own).toMatchObject({ program: { env: { PATH: '/bin' }, workingDir: '/own' } });
  });
});

describe('the user of a container of an image', () => {
  const rights: OwnRights = {
    tier: 'namespace',
    isInUserNamespace: false,
    uid: 0,
    gid: 0,
    groups: [0, 4],
    capabilities: ['chown', 'kill', 'setgid', 'setpcap', 'setuid'],
    hasSetpriv: true,
    canFilterCalls: true,
    account: () => ({ gid: 99, groups: [99], home: '/host' }),
  };
  const asUser: OwnRights = { ...rights, isInUserNamespace: true, uid: 501, gid: 501, groups: [501], capabilities: [] };

  const ask = (
    user: string,
    changes: Partial<Pick<ImageUserInput, 'rights' | 'owners' | 'passwd' | 'group'>> & {
      pod?: PodSpec['securityContext'];
    } = {},
    security: Container['securityContext'] = {},
  ): string => {
    const container: Container = { name: 'main', securityContext: security };
    const spec: PodSpec = { containers: [container], ...(changes.pod && { securityContext: changes.pod }) };
    const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u' }, spec } as StoredPod;
    const outcome = imageIdentity({
      rights,
      owners: 'root',
      passwd: PASSWD,
      group: GROUP,
      ...changes,
      pod,
      container,
      user,
      isBestEffort: false,
    });
    if (!outcome.ok) return `${outcome.stage}: ${outcome.message}`;
    const { uid, gid, groups = [] } = outcome.identity;
    return `${uid}:${gid} ${groups.join()} ${outcome.home}`;
  };

  it.each([
    ['', '0:0 0,1 /root'],
    ['app', '1000:1001 1001,2000 /home/app'],
    ['app:extra', '1000:1001 1001,2000 /home/app'],
    ['1000:2000', '1000:1001 1001,2000 /home/app'],
    ['4711', '4711:0 0 /'],
    ['nobody', 'create: failed to create containerd container: no users found'],
  ])('%j', (user, expected) => {
    expect(ask(user)).toBe(expected);
  });

  it('comes from the manifest first, with the groups of the Pod', () => {
    expect(ask('root', {}, { runAsUser: 1000 })).toBe('1000:1001 1001,2000 /home/app');
    expect(ask('', { pod: { fsGroup: 5, supplementalGroups: [6], runAsGroup: 7 } })).toBe('0:7 7,1,6,5 /root');
    expect(ask('app', { pod: { supplementalGroupsPolicy: 'Strict' } })).toBe('1000:1001 1001 /home/app');
  });

  it('must be a number other than 0 with runAsNonRoot', () => {
    const pod = { runAsNonRoot: true };
    expect(ask('app', { pod })).toBe(
      'config: container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root ' +
        '(pod: "web_default(u)", container: main)',
    );
    expect(ask('', { pod })).toMatch(/^config: container has runAsNonRoot and image will run as root \(/);
    expect(ask('0', { pod })).toMatch(/^config: container has runAsNonRoot and image will run as root \(/);
    expect(ask('1000', { pod })).toMatch(/^1000:/);
  });

  it('may be any user where podrun has subordinate ids, and one without groups where it has none', () => {
    expect(ask('app', { rights: asUser, owners: 'mapped' })).toBe('1000:1001 1001,2000 /home/app');
    expect(ask('app', { rights: asUser, owners: 'single' })).toBe('1000:1001  /home/app');
    expect(ask('', { rights: asUser, owners: 'single' })).toBe('0:0  /root');
  });

  const outOfRange = (user: string, part = 'uid'): string =>
    `create: failed to create containerd container: invalid USER value "${user}": ${part} out of range`;
  const noUsers = 'create: failed to create containerd container: no users found';

  it.each([
    ['2147483647', '2147483647:0 0 /', '2147483647:0 0 /'],
    ['2147483648', outOfRange('2147483648'), outOfRange('2147483648')],
    ['4294967296', outOfRange('4294967296'), outOfRange('4294967296')],
    ['4294967296:1', outOfRange('4294967296'), outOfRange('4294967296')],
    ['-1', outOfRange('-1'), outOfRange('-1')],
    ['1:4294967296', outOfRange('1:4294967296', 'gid'), outOfRange('1:4294967296', 'gid')],
    ['1:-1', outOfRange('1:-1', 'gid'), outOfRange('1:-1', 'gid')],
    ['9'.repeat(40), outOfRange('9'.repeat(40)), 'non-numeric'],
    ['00', '0:0 0,1 /root', 'will run as root'],
    ['+0', '0:0 0,1 /root', 'will run as root'],
    ['-0', '0:0 0,1 /root', 'will run as root'],
    ['01000', '1000:1001 1001,2000 /home/app', '1000:1001 1001,2000 /home/app'],
    ['0x0', noUsers, 'non-numeric'],
    [' 0', noUsers, 'non-numeric'],
    ['1e3', noUsers, 'non-numeric'],
    ['0.0', noUsers, 'non-numeric'],
    ['٠', noUsers, 'non-numeric'],
    [':5', '0:0 0,1 /root', 'will run as root'],
  ])('is read from %j as Go reads numbers, and never wraps', (user, expected, asNonRoot) => {
    expect(ask(user)).toBe(expected);
    expect(ask(user, { pod: { runAsNonRoot: true } })).toContain(asNonRoot);
  });

  it('does not come from a line whose name is a number out of range', () => {
    expect(ask('4294967296', { passwd: '4294967296:x:0:0::/:\n' })).toBe(outOfRange('4294967296'));
  });

  it.each([
    ['app', 'app:x:4294967296:1::/:', ''],
    ['app', 'app:x:-1:1::/:', ''],
    ['app', 'app:x:1000:4294967296::/:', ''],
    ['1000', 'app:x:1000:99999999999::/:', ''],
    ['1000', 'app:x:1000:1::/:', 'extra:x:4294967296:app'],
  ])('%s has ids of the files that are no ids: %j %j', (user, passwd, group) => {
    const message = /^create: failed to create containerd container: uids and gids must be in range 0-2147483647 \(/;
    expect(ask(user, { passwd, group })).toMatch(message);
    expect(ask('', { passwd, group }, { runAsUser: 7 })).toBe('7:0 0 /');
  });

  it('is not read from lines that are none', () => {
    expect(findAccount('+', PASSWD, GROUP)).toBe(undefined);
    expect(findAccount('', PASSWD, GROUP)).toBe(undefined);
  });
});
