import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findAccount } from '../../src/lifecycle/images/image-identity.ts';
import { readOwnRights } from '../../src/settings/own-rights.ts';
import { canReach } from '../../src/kubelet/volumes/inside-volume.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-accounts-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('what the files of a machine tell of a user', () => {
  const passwd = 'root:x:0:0:root:/root:/bin/sh\napp:x:70:71:An, App:/srv/app:/bin/sh\nbare:x:8:9\n';
  const group = 'root:x:0:\napp:x:71:\nweb:x:72:www,app\nwrapper:x:73:wrap,application\n\nlog:x:74:app\n';

  it.each([
    { uid: 70, want: { gid: 71, groups: [72, 74], home: '/srv/app' } },
    { uid: 0, want: { gid: 0, groups: [], home: '/root' } },
    { uid: 8, want: { gid: 9, groups: [], home: '/' } },
    { uid: 7, want: undefined },
  ])('$uid', ({ uid, want }) => {
    expect(findAccount(uid, passwd, group)).toEqual(want && { uid, ...want });
  });

  it('is nothing where the files are empty or missing', () => {
    expect(findAccount(70, '', '')).toBeUndefined();
  });
});

it('podrun knows its own rights', () => {
  const rights = readOwnRights(undefined);
  expect(rights).toMatchObject({ tier: 'process', isInUserNamespace: false, uid: process.getuid?.() });
  expect(rights.capabilities.length > 0 || rights.uid !== 0).toBe(true);
});

describe('whether a user gets to a place', () => {
  const own = { uid: process.getuid?.() ?? 0, groups: [] };
  const other = { uid: 12_345, groups: [12_345] };

  it('is up to every folder on the way', () => {
    const file = path.join(folder, 'volume');
    expect(canReach('/etc/passwd', other)).toBe(true);
    expect(canReach(file, own)).toBe(true);
    expect(canReach(file, other)).toBe(false);
    expect(canReach(file, { uid: 12_345, groups: [process.getgid?.() ?? 0] })).toBe(false);
    expect(canReach(path.join(folder, 'missing', 'volume'), own)).toBe(false);
  });
});
