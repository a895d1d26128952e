import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { removeGroupsOfPod, removeStrayGroups } from '../../../../src/runtime/linux/cgroup/stray-groups.ts';

const NOW_MS = Date.parse('2026-01-15T12:00:00Z');
const UID = '3ad11a2d-b2b0-489f-a0d2-b9cfd4bc7b1a';

const OTHER_UID = '3ad11a2d-b2b0-489f-a0d2-000000000000';

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'podrun-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function group(folder: string, ageMs: number): string {
  const place = path.join(root, folder);
  mkdirSync(place, { recursive: true });
  utimesSync(place, (NOW_MS - ageMs) / 1000, (NOW_MS - ageMs) / 1000);
  return place;
}

const sources = (): { membership: string; mounts: string } => ({
  membership: '0::/\n',
  mounts: `30 24 0:26 / ${root} rw - cgroup2 cgroup2 rw`,
});
const remove = (): void => removeStrayGroups(NOW_MS, sources());

it('empty groups go, with their empty parents', () => {
  const strays = [group(`podrun/${UID}/main_0`, 60_000), group(`user.slice/a.scope/podrun/${UID}/main_1`, 60_000)];
  remove();
  expect(strays.filter((folder) => existsSync(folder))).toEqual([]);
  expect(existsSync(path.join(root, 'podrun'))).toBe(false);
  expect(existsSync(path.join(root, 'user.slice/a.scope'))).toBe(true);
});

it('groups in use, young groups and groups of other programs stay', () => {
  const used = group(`podrun/${UID}/used_0`, 60_000);
  writeFileSync(path.join(used, 'process'), '');
  utimesSync(used, 0, 0);
  const young = group(`podrun/${UID}/young_0`, 1000);
  const others = [group('podrun/somebody/main_0', 60_000), group(`engine/${UID}/main_0`, 60_000)];
  remove();
  expect([used, young, ...others].filter((folder) => !existsSync(folder))).toEqual([]);
});

it('groups of a Pod without an agent go at once, however young; groups of other Pods stay', async () => {
  const own = [group(`podrun/${UID}/main_0`, 10), group(`user.slice/a.scope/podrun/${UID}`, 10)];
  const other = group(`podrun/${OTHER_UID}/main_0`, 10);
  await removeGroupsOfPod(UID, new SystemClock(), sources());
  expect(own.filter((folder) => existsSync(folder))).toEqual([]);
  expect(existsSync(path.join(root, `podrun/${UID}`))).toBe(false);
  expect(existsSync(other)).toBe(true);
});
