import { expect, it } from 'vitest';
import { TimeoutError } from '../../src/library/index.ts';
import { run, shellPod } from './pods.ts';

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.try.example.com' },
  spec: {
    group: 'try.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', shortNames: ['gad'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** A custom resource whose status is a part of what is applied: the kind has no subresource for it. */
function gadget(name: string, conditions: Readonly<Record<string, string>>): object {
  const all = Object.entries(conditions).map(([type, status]) => ({ type, status }));
  return {
    apiVersion: 'try.example.com/v1',
    kind: 'Gadget',
    metadata: { name },
    spec: { size: 3 },
    status: { phase: 'Lit', conditions: all },
  };
}

const SHORT = { timeout: '500ms' };

it('waits for custom resources by conditions, paths and functions, and reads them', async () => {
  const pod = shellPod('app', 'exec sleep 600', {}, { terminationGracePeriodSeconds: 1 });
  await using pods = await run([DEFINITION, gadget('lamp', { Ready: 'True', Synced: 'False' }), pod], { settle: 0 });
  await pods.until('Ready');
  const object = 'gadget.try.example.com/lamp';
  await pods.until('Ready', { object });
  await pods.until('Synced=False', { object: 'gadget/lamp' });
  await pods.until('jsonpath={.status.phase}=Lit', { object: 'gad/lamp' });
  await pods.until(({ spec }) => (spec as { size: number }).size === 3, { object });
  expect(pods.object(object)).toMatchObject({ kind: 'Gadget', status: { phase: 'Lit' } });
  expect(pods.object('crd/gadgets.try.example.com')).toMatchObject({ kind: 'CustomResourceDefinition' });
  const late = await pods.until('Synced', { object, ...SHORT }).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(TimeoutError);
  expect((late as Error).message).toBe(
    'timed out after 500ms, waiting for Synced\ngadget.try.example.com/lamp: waits for condition Synced',
  );
  await expect(pods.until('Ready', { object: 'gadget/none', ...SHORT })).rejects.toThrow(
    'gadget.try.example.com/none: there is none yet',
  );
  await expect(pods.until('Ready', { object: 'unknown/none', ...SHORT })).rejects.toThrow('no kind of this name');
  await expect(pods.until('Ready', { object: 'lamp' })).rejects.toThrow('"lamp" names no object');
  expect(() => pods.object('gadget/none')).toThrow('gadgets.try.example.com "none" not found');
});

it('Ready waits for the custom resources of the manifests', async () => {
  const manifests = [DEFINITION, gadget('lamp', { Ready: 'False' }), shellPod('app', 'exec sleep 600')];
  await using pods = await run(manifests, { settle: 0 });
  await expect(pods.until('Ready', { timeout: '3s' })).rejects.toThrow(
    'gadget.try.example.com/lamp: its condition Ready is False',
  );
  await pods.until('Ready', { pod: 'app' });
});
