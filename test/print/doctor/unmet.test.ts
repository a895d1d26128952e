import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import type { Obstacle } from '../../../src/machine/abilities.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { unmetText } from '../../../src/machine/unmet.ts';

const why: Obstacle = { type: 'platform', platform: 'darwin' };
const container = { name: 'app', image: 'busybox' };

function podOf(spec: Partial<PodSpec>): StoredPod {
  return { metadata: { name: 'p' }, spec: { containers: [container], ...spec } } as StoredPod;
}

describe('what Pods ask for and do not get', () => {
  it.each<[string, Partial<PodSpec>[], string | undefined]>([
    ['nothing', [{}], undefined],
    ['an empty list', [{ hostAliases: [] }, { shareProcessNamespace: false }], undefined],
    ['a mount', [{ containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] }], 'mountPath'],
    [
      'a mount of an init container',
      [{ initContainers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] }],
      'mountPath',
    ],
    [
      'several things, in several Pods',
      [{ subdomain: 's' }, { hostAliases: [{ ip: '1.2.3.4' }], hostname: 'h' }, { shareProcessNamespace: true }],
      'hostname, hostAliases and shareProcessNamespace',
    ],
  ])('%s', (_what, specs, fields) => {
    const text = unmetText({ of: 'namespaces', why }, specs.map(podOf));
    const line = 'runtime: process (not available on macOS); without effect, or with less effect than on a node: ';
    expect(text).toBe(fields && `${line}${fields}. See podrun doctor`);
  });

  it('a root that cannot be written to concerns all', () => {
    const text = unmetText({ of: 'layers', why }, [podOf({})]);
    expect(text).toMatch(/^runtime: namespace; the root of containers is read-only \(.*\)\. See podrun doctor$/);
  });
});
