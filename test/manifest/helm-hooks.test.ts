import { expect, it } from 'vitest';
import { type HelmHook, withoutHelmHooks } from '../../src/manifest/helm-hooks.ts';
import type { LoadResult } from '../../src/manifest/check/load.ts';
import { loadText } from './load-text.ts';

interface HookText {
  readonly kind?: string;
  readonly name?: string;
  readonly hook?: string;
  readonly weight?: string;
  readonly policy?: string;
}

const CONTAINERS = 'restartPolicy: Never, containers: [{name: c, image: busybox}]';
const KINDS: Readonly<Record<string, readonly [version: string, spec: string]>> = {
  Job: ['batch/v1', `spec: {template: {spec: {${CONTAINERS}}}}\n`],
  Pod: ['v1', `spec: {${CONTAINERS}}\n`],
  ConfigMap: ['v1', ''],
  Secret: ['v1', ''],
};

function chart({ kind = 'Job', name = kind.toLowerCase(), hook, weight, policy }: HookText): string {
  const [version, spec] = KINDS[kind] ?? ['v1', ''];
  const annotations = Object.entries({
    'helm.sh/hook': hook,
    'helm.sh/hook-weight': weight,
    'helm.sh/hook-delete-policy': policy,
  }).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: "${value}"`]));
  return `
apiVersion: ${version}
kind: ${kind}
metadata:
  name: ${name}
  annotations: {${annotations.join(', ')}}
${spec}`;
}

async function load(...texts: readonly HookText[]): Promise<LoadResult> {
  const loaded = await loadText(texts.map(chart).join('---'));
  expect(loaded.errors).toEqual([]);
  return loaded;
}

const namesOf = (hooks: readonly HelmHook[]): string[] =>
  hooks.map(({ object: { kind, metadata } }) => `${kind}/${metadata.name}`);

it('the Jobs and Pods that helm runs itself are left out, and named', async () => {
  const loaded = await load(
    { name: 'jobpre-install', hook: 'pre-install' },
    {},
    { kind: 'Pod', name: 'podtest', hook: 'test' },
    { kind: 'ConfigMap', hook: 'pre-install' },
  );
  const rest = withoutHelmHooks(loaded, false);
  expect(rest.objects.map(({ object }) => object.metadata.name)).toEqual(['job', 'configmap']);
  expect(rest.hooks).toEqual({ preInstall: [], postInstall: [] });
  expect(rest.warning).toBe('hooks of helm are not run: job/jobpre-install (pre-install), pod/podtest (test)');
  expect(withoutHelmHooks(rest, false)).toEqual({ ...rest, warning: undefined });
});

it('hooks of an installation are apart, whatever their kind, and the rest is named', async () => {
  const loaded = await load(
    { kind: 'ConfigMap', name: 'settings', hook: 'pre-install,pre-upgrade' },
    { name: 'both', hook: ' Pre-Install , post-install' },
    { name: 'after', hook: 'post-install' },
    { name: 'plain' },
    { kind: 'Secret', name: 'gone', hook: 'post-delete' },
    { kind: 'Pod', name: 'try', hook: 'test' },
    { name: 'odd', hook: 'pre-install,crd-install' },
  );
  const { objects, hooks, warning } = withoutHelmHooks(loaded, true);
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(['plain']);
  expect(namesOf(hooks.preInstall)).toEqual(['Job/both', 'ConfigMap/settings']);
  expect(namesOf(hooks.postInstall)).toEqual(['Job/after', 'Job/both']);
  expect(warning).toBe(
    'hooks of helm are not run: secret/gone (post-delete), pod/try (test), job/odd (pre-install,crd-install)',
  );
});

it('hooks run by weight, then by name, then by the order in which helm creates kinds', async () => {
  const hook = 'pre-install';
  const loaded = await load(
    { name: 'late', hook, weight: '10' },
    { name: 'same', hook },
    { kind: 'ConfigMap', name: 'same', hook },
    { kind: 'Secret', name: 'same', hook, weight: 'heavy' },
    { name: 'early', hook, weight: '-5' },
    { name: 'a', hook, weight: '+0' },
    { name: 'between', hook, weight: '2' },
  );
  const { preInstall } = withoutHelmHooks(loaded, true).hooks;
  expect(namesOf(preInstall)).toEqual([
    'Job/early',
    'Job/a',
    'Secret/same',
    'ConfigMap/same',
    'Job/same',
    'Job/between',
    'Job/late',
  ]);
});

it.each([
  [undefined, ['before-hook-creation']],
  ['', []],
  ['hook-succeeded', ['hook-succeeded']],
  ['Hook-Failed, before-hook-creation', ['before-hook-creation', 'hook-failed']],
  ['keep', []],
] as const)('the delete policy %j', async (policy, expected) => {
  const loaded = await load({ hook: 'post-install', ...(policy !== undefined && { policy }) });
  expect(withoutHelmHooks(loaded, true).hooks.postInstall[0]?.policies).toEqual(expected);
});
