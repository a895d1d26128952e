import { expect, it } from 'vitest';
import type { RuntimeClass } from '../../../src/api/generated/types.ts';
import { type HandlerFacts, podHandler } from '../../../src/lifecycle/node/runtime-handler.ts';
import { podWith } from '../base-objects.ts';

const classes: readonly RuntimeClass[] = ['process', 'namespace', 'quick', 'kata', 'crun', 'runc'].map((handler) => ({
  metadata: { name: `${handler}-class` },
  handler,
}));
const here: HandlerFacts = {
  own: { quick: { type: 'process' }, runc: { type: 'oci', path: '/opt/runc', network: 'pod' } },
  tier: 'namespace',
  classNamed: (name) => classes.find(({ metadata }) => metadata?.name === name),
};

it.each([
  [undefined, 'namespace'],
  ['process-class', 'process'],
  ['namespace-class', 'namespace'],
  ['quick-class', 'process'],
] as const)('the handler of the class %s', (runtimeClassName, type) => {
  expect(podHandler(podWith({ runtimeClassName }), here)).toEqual({ ok: true, type });
});

it.each([
  ['crun-class', { ok: true, type: 'oci', path: 'crun' }],
  ['runc-class', { ok: true, type: 'oci', path: '/opt/runc', network: 'pod' }],
] as const)('the OCI runtime of the class %s', (runtimeClassName, outcome) => {
  expect(podHandler(podWith({ runtimeClassName }), here)).toEqual(outcome);
  expect(podHandler(podWith({ runtimeClassName }), { ...here, tier: 'process' })).toMatchObject({ ok: false });
});

it.each([
  [
    'kata-class',
    /^rpc error: code = Unknown desc = unable to get OCI runtime for sandbox ".+": no runtime for "kata" is/,
  ],
  ['lost', /^runtimeclass\.node\.k8s\.io "lost" not found$/],
])('the class %s has none', (runtimeClassName, error) => {
  expect(podHandler(podWith({ runtimeClassName }), here)).toEqual({ ok: false, error: expect.stringMatching(error) });
});

it('namespaces that the agent does not use are not to be had', () => {
  const pod = podWith({ runtimeClassName: 'namespace-class' });
  expect(podHandler(pod, { ...here, tier: 'process' })).toMatchObject({ ok: false });
});
