import { expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { changesBetween, objectName } from '../../../src/cli/watch/changes.ts';
import type { ManifestObject } from '../../../src/manifest/manifest-object.ts';

const variables = { containers: [{ name: 'main', image: 'app', envFrom: [{ configMapRef: { name: 'settings' } }] }] };
const volumes = {
  containers: [{ name: 'main', image: 'app' }],
  volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
};

function object(apiVersion: string, kind: string, name: string, more: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: 'default' }, ...more };
}

const deployment = (name: string, spec: object): KubeObject =>
  object('apps/v1', 'Deployment', name, { spec: { template: { spec } } });

const config = (value: string, namespace = 'default'): KubeObject => ({
  ...object('v1', 'ConfigMap', 'settings', { data: { key: value } }),
  metadata: { name: 'settings', namespace },
});

/** The changes, in words. No program has changed. */
function changes(before: readonly KubeObject[], after: readonly KubeObject[]): string[] {
  const [old, now] = [before, after].map((all) => all.map((each) => ({ object: each }) as ManifestObject));
  return changesBetween(old ?? [], now ?? [], () => ({ hasInit: false, inPlace: [] })).map(
    ({ type, manifest }) => `${type} ${objectName(manifest)}`,
  );
}

it('a changed ConfigMap is stored before the containers that have variables from it start again', () => {
  const runs = [
    deployment('reads', variables),
    deployment('mounts', volumes),
    object('v1', 'Pod', 'reads', { spec: variables }),
    object('batch/v1', 'Job', 'reads', { spec: { template: { spec: variables } } }),
  ];
  expect(changes([...runs, config('a')], [...runs, config('b')])).toEqual([
    'apply configmap/settings',
    'restart deployment.apps/reads',
    'replace pod/reads',
  ]);
});

it('a new ConfigMap, or one of another namespace, restarts nothing', () => {
  const run = deployment('reads', variables);
  expect(changes([run], [run, config('a')])).toEqual(['apply configmap/settings']);
  expect(changes([run, config('a', 'other')], [run, config('b', 'other')])).toEqual(['apply configmap/settings']);
});
