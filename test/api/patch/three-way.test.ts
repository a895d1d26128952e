import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { threeWayMerge } from '../../../src/api/patch/index.ts';

const podOf = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'demo' }, spec });

interface Case {
  readonly what: string;
  /** Undefined: there was no manifest before. */
  readonly last?: object;
  readonly wanted: object;
  readonly live: object;
  readonly after: object;
}

describe('a three-way merge', () => {
  const cases: Case[] = [
    {
      what: 'takes away what the manifest no longer says, and keeps what others have set',
      last: { nodeSelector: { a: '1', b: '2' } },
      wanted: { nodeSelector: { a: '1' } },
      live: { nodeSelector: { a: '1', b: '2', theirs: '3' }, nodeName: 'n' },
      after: { nodeSelector: { a: '1', theirs: '3' }, nodeName: 'n' },
    },
    {
      what: 'takes nothing away without a last manifest',
      wanted: { hostname: 'h' },
      live: { subdomain: 's' },
      after: { subdomain: 's', hostname: 'h' },
    },
    {
      what: 'puts back what was changed by others',
      last: { hostname: 'h' },
      wanted: { hostname: 'h' },
      live: { hostname: 'theirs' },
      after: { hostname: 'h' },
    },
    {
      what: 'keeps defaults in lists with a key',
      last: { containers: [{ name: 'a', image: 'a:1' }] },
      wanted: { containers: [{ name: 'a', image: 'a:2' }] },
      live: { containers: [{ name: 'a', image: 'a:1', imagePullPolicy: 'Always' }] },
      after: { containers: [{ name: 'a', image: 'a:2', imagePullPolicy: 'Always' }] },
    },
    {
      what: 'removes its own items, keeps foreign items, adds new ones in its order',
      last: { containers: [{ name: 'a' }, { name: 'old' }] },
      wanted: { containers: [{ name: 'new' }, { name: 'a' }] },
      live: { containers: [{ name: 'theirs' }, { name: 'a', tty: true }, { name: 'old' }] },
      after: { containers: [{ name: 'new' }, { name: 'theirs' }, { name: 'a', tty: true }] },
    },
    {
      what: 'replaces lists without a key',
      last: { tolerations: [{ key: 'a' }] },
      wanted: { tolerations: [{ key: 'b' }] },
      live: { tolerations: [{ key: 'a' }, { key: 'theirs' }] },
      after: { tolerations: [{ key: 'b' }] },
    },
    {
      what: 'takes a whole list away',
      last: { tolerations: [{ key: 'a' }] },
      wanted: {},
      live: { tolerations: [{ key: 'a' }], nodeName: 'n' },
      after: { nodeName: 'n' },
    },
    {
      what: 'clears the other member of a union',
      last: { volumes: [{ name: 'v', emptyDir: {} }] },
      wanted: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
      live: { volumes: [{ name: 'v', emptyDir: { medium: 'theirs' } }] },
      after: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    },
    {
      what: 'leaves a volume alone that is as wanted',
      last: { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
      wanted: { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
      live: { volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 420 } }] },
      after: { volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 420 } }] },
    },
    {
      what: 'tells apart two ports of one number',
      last: { containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }] }] },
      wanted: { containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }] }] },
      live: {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 53, protocol: 'UDP' },
              { containerPort: 53, protocol: 'TCP' },
            ],
          },
        ],
      },
      after: {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 53, protocol: 'UDP' },
              { containerPort: 53, protocol: 'TCP' },
            ],
          },
        ],
      },
    },
    {
      what: 'takes a null for a wish to have the default',
      wanted: { hostname: null },
      live: { hostname: 'h', nodeName: 'n' },
      after: { nodeName: 'n' },
    },
  ];

  it.each(cases)('$what', ({ last, wanted, live, after }) => {
    const merged = threeWayMerge(last && podOf(last), podOf(wanted), podOf(live));
    expect(merged).toEqual(podOf(after));
  });

  it('keeps labels, finalizers and the status that other writers have set', () => {
    const last: KubeObject = { ...podOf({}), metadata: { name: 'demo', labels: { a: '1' }, finalizers: ['x/mine'] } };
    const live: KubeObject = {
      ...podOf({}),
      metadata: { name: 'demo', uid: 'u', labels: { a: '1', b: '2' }, finalizers: ['x/mine', 'x/theirs'] },
      status: { phase: 'Running' },
    };
    const wanted: KubeObject = { ...podOf({}), metadata: { name: 'demo', finalizers: ['x/new'] } };
    expect(threeWayMerge(last, wanted, live)).toEqual({
      ...podOf({}),
      metadata: { name: 'demo', uid: 'u', finalizers: ['x/new', 'x/theirs'] },
      status: { phase: 'Running' },
    });
  });
});
