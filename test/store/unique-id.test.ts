import { expect, it } from 'vitest';
import { newUid } from '../../src/store/base/unique-id.ts';

it('makes UUIDs of version 4, each its own', () => {
  const uids = Array.from({ length: 1000 }, newUid);
  expect(new Set(uids).size).toBe(1000);
  const others = uids.filter(
    (uid) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uid),
  );
  expect(others).toEqual([]);
});
