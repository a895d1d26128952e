import { expect, it } from 'vitest';
import { withoutHelmHooks } from '../../src/manifest/helm-hooks.ts';
import { loadText } from './load-text.ts';

const chart = (kind: string, hook?: string): string => `
apiVersion: ${kind === 'Job' ? 'batch/v1' : 'v1'}
kind: ${kind}
metadata:
  name: ${kind.toLowerCase()}${hook ?? ''}
${hook === undefined ? '' : `  annotations: {helm.sh/hook: ${hook}}\n`}${SPECS[kind] ?? ''}`;
const CONTAINERS = 'restartPolicy: Never, containers: [{name: c, image: busybox}]';
const SPECS: Readonly<Record<string, string>> = {
  Job: `spec: {template: {spec: {${CONTAINERS}}}}\n`,
  Pod: `spec: {${CONTAINERS}}\n`,
};

it('the Jobs and Pods that helm runs itself are left out, and named', async () => {
  const text = [chart('Job', 'pre-install'), chart('Job'), chart('Pod', 'test'), chart('ConfigMap', 'pre-install')];
  const { objects: all, errors } = await loadText(text.join('---'));
  expect(errors).toEqual([]);
  const { objects, warning } = withoutHelmHooks(all);
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(['job', 'configmappre-install']);
  expect(warning).toBe('hooks of helm are not run: job/jobpre-install (pre-install), pod/podtest (test)');
  expect(withoutHelmHooks(objects)).toEqual({ objects, warning: undefined });
});
