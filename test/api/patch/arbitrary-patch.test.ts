import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { PodrunError } from '../../../src/api/base/errors.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { applyPatch, threeWayMerge, type PatchType } from '../../../src/api/patch/index.ts';
import { inPatchOrder } from '../../../src/api/patch/list-order.ts';

/** Many of these keys have a meaning in a Pod or in a patch. */
const KEYS =
  'spec metadata status containers env name finalizers volumes conditions type op path from value $patch ' +
  '$retainKeys $setElementOrder/containers $deleteFromPrimitiveList/finalizers __proto__';
const TEXTS = 'a b delete replace merge add remove move copy test /spec/containers/0 /spec /metadata/finalizers/-';

const keys = fc.constantFrom(...KEYS.split(' '));
const leaves = fc.constantFrom<unknown>(...TEXTS.split(' '), null, true, 0, 1);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries) as unknown),
  ),
}));

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'demo', finalizers: ['x/a'] },
  spec: { containers: [{ name: 'a', env: [{ name: 'a', value: '1' }] }, { name: 'b' }], volumes: [{ name: 'a' }] },
  status: { conditions: [{ type: 'a', status: 'True' }] },
};

describe('an arbitrary patch', () => {
  it.each<PatchType>(['strategic', 'merge', 'json'])('%s is applied or refused, and harms nothing', (type) => {
    const before = JSON.stringify(pod);
    fc.assert(
      fc.property(json, (patch) => {
        try {
          const after = applyPatch(pod, patch, type);
          if (Object.getPrototypeOf(after) !== Object.prototype) return false;
        } catch (error) {
          if (!(error instanceof PodrunError)) throw error;
        }
        return JSON.stringify(pod) === before;
      }),
      { numRuns: 500 },
    );
  });

  it('as a manifest, gives its fields, and a second time the same', () => {
    const asPod = (spec: unknown): KubeObject => ({ ...pod, spec });
    fc.assert(
      fc.property(json, json, (last, wanted) => {
        const once = threeWayMerge(asPod(last), asPod(wanted), pod);
        const twice = threeWayMerge(asPod(wanted), asPod(wanted), once);
        return JSON.stringify(twice) === JSON.stringify(once);
      }),
      // `containers` that is no list, and `env` without objects.
      { numRuns: 500, examples: [['a', { containers: { env: ['a'] } }]] },
    );
  });
});

describe('the order of a merged list', () => {
  const ids = fc.uniqueArray(fc.nat(9));

  it('has every item once, items of the patch in its order', () => {
    fc.assert(
      fc.property(ids, ids, ids, (items, wanted, live) => {
        const ordered = inPatchOrder(items, (item) => item, wanted, live);
        const named = ordered.filter((item) => wanted.includes(item));
        const isKept = JSON.stringify(named) === JSON.stringify(wanted.filter((item) => items.includes(item)));
        return isKept && ordered.length === items.length && items.every((item) => ordered.includes(item));
      }),
    );
  });
});
