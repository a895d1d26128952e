import { describe, expect, it } from 'vitest';
import { readDefinitions } from '../../src/envtest/suite/read-definitions.ts';
import { run } from '../../src/library/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { runHere } from './in-process.ts';
import { type Ended, type Workshop, workshopFor } from './workshop.ts';

// Charts keep objects of versions that Kubernetes has removed. Each is left out as a kind that nothing defines is.

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [echo, ran]}]}
`;
const old = (apiVersion: string, kind: string): string =>
  `\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: old}\nspec: {replicas: 1}\n`;

/** Old versions that charts have had, with the version to write. */
const OLD = [
  ['batch/v1beta1', 'CronJob', ' - use batch/v1'],
  ['policy/v1beta1', 'PodDisruptionBudget', ' - use policy/v1'],
  ['policy/v1beta1', 'PodSecurityPolicy', ''],
  ['extensions/v1beta1', 'PodSecurityPolicy', ''],
  ['extensions/v1beta1', 'Ingress', ' - use networking.k8s.io/v1'],
  ['extensions/v1beta1', 'Deployment', ' - use apps/v1'],
  ['extensions/v1beta1', 'DaemonSet', ' - use apps/v1'],
  ['apps/v1beta2', 'StatefulSet', ' - use apps/v1'],
  ['autoscaling/v2beta2', 'HorizontalPodAutoscaler', ' - use autoscaling/v1 or autoscaling/v2'],
  ['networking.k8s.io/v1beta1', 'Ingress', ' - use networking.k8s.io/v1'],
  ['rbac.authorization.k8s.io/v1beta1', 'ClusterRole', ' - use rbac.authorization.k8s.io/v1'],
  ['apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', ' - use apiextensions.k8s.io/v1'],
  ['admissionregistration.k8s.io/v1beta1', 'MutatingWebhookConfiguration', ' - use admissionregistration.k8s.io/v1'],
  ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', ' - use flowcontrol.apiserver.k8s.io/v1'],
  ['storage.k8s.io/v1beta1', 'StorageClass', ' - use storage.k8s.io/v1'],
  ['scheduling.k8s.io/v1alpha1', 'PriorityClass', ' - use scheduling.k8s.io/v1'],
] as const;

/** The file with a Pod and one object of each old version, each of which begins five lines after the one before. */
const ALL = [POD, ...OLD.map(([apiVersion, kind]) => old(apiVersion, kind))].join('---');

const textOf = ([apiVersion, kind, hint]: readonly [string, string, string]): string =>
  `no matches for kind "${kind}" in version "${apiVersion}": Kubernetes v1.36 does not serve it, ignored${hint}`;

const warningsAbout = (file: string): string[] =>
  OLD.map((each, index) => `Warning: ${textOf(each)} (${file}:${7 + 5 * index}:1)`);

const warningsIn = ({ stderr }: Ended): string[] => stderr.split('\n').filter((line) => line.startsWith('Warning: '));

async function logOf(workshop: Workshop): Promise<string> {
  await workshop.run(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/plain', '--timeout=60s']);
  return (await workshop.run(['logs', 'plain'])).stdout;
}

describe('an object of a version that Kubernetes has removed', { timeout: 4 * PATIENCE_MS }, () => {
  it('has one warning with its place and the version to write; the rest runs', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', ALL);
    const ended = await workshop.run(['apply', file]);
    expect(warningsIn(ended)).toEqual(warningsAbout(file));
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/│ c +ran/) as unknown });
    // It needs no API server.
    expect(ended.stderr).not.toContain('serving the API');
  });

  it('is left out in the background, too', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', ALL);
    const ended = await workshop.run(['apply', '-d', file]);
    expect(warningsIn(ended)).toEqual(warningsAbout(file));
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'pod/plain created\n' });
    expect(await logOf(workshop)).toBe('ran\n');
    expect(await workshop.run(['delete', '-f', file])).toMatchObject({
      exitCode: 0,
      stdout: 'pod "plain" deleted from default namespace\n',
    });
  });

  it('is left out by the library', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', ALL);
    await using pods = await run(file, { stateDir: workshop.stateDir });
    expect(pods.warnings).toEqual(warningsAbout(file).map((line) => line.replace('Warning: ', '')));
    await pods.until('complete');
    await expect(run(file, { strict: true })).rejects.toThrow('no matches for kind "CronJob" in version');
  });

  it('is refused with --strict, with the version to write, before anything starts', async (context) => {
    const workshop = workshopFor(context);
    const ended = await workshop.run(['apply', workshop.file('all.yaml', ALL), '--strict']);
    expect([ended.exitCode, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain('no matches for kind "CronJob" in version "batch/v1beta1"');
    expect(ended.stderr).toContain('- use batch/v1\n');
    expect((await workshop.run(['get', 'pods'])).stdout).toBe('');
  });

  it('is a warning of validate, and an error with --strict and --no-skip', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', ALL);
    const { exitCode, stdout } = await runHere(workshop, ['validate', file]);
    expect(exitCode).toBe(0);
    const found = stdout.split('\n').filter((line) => line.startsWith(`${file}:`));
    expect(found).toEqual(
      OLD.map((each, index) => `${file}:${7 + 5 * index}:1: warning: ${each[1]} old: ${textOf(each)}`),
    );
    for (const flag of ['--strict', '--no-skip'])
      expect((await runHere(workshop, ['validate', file, flag])).exitCode).toBe(1);
  });

  it('is no success when nothing else remains', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('old.yaml', old('batch/v1beta1', 'CronJob'));
    const monitor = workshop.file('monitor.yaml', old('monitoring.coreos.com/v1', 'ServiceMonitor'));
    const nothing =
      'error: no objects passed to apply\nNothing defines the kinds of these objects, so nothing was started.\n';
    for (const words of [['apply'], ['apply', '-d'], ['apply', '--dry-run=server']]) {
      for (const each of [file, monitor]) {
        const ended = await runHere(workshop, [...words, each]);
        expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
        expect(ended.stderr).toMatch(/^Warning: no matches for kind /);
        expect(ended.stderr.endsWith(nothing)).toBe(true);
      }
    }
    expect((await runHere(workshop, ['validate', file])).exitCode).toBe(1);
    // A cluster may define this kind: podrun cannot know.
    expect((await runHere(workshop, ['validate', monitor])).exitCode).toBe(0);
  });

  it('is left out of dry runs, simulations and questions about policies', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', ALL);
    const dry = await runHere(workshop, ['apply', file, '--dry-run=server']);
    expect([dry.exitCode, dry.stdout]).toEqual([0, 'pod/plain created (server dry run)\n']);
    const simulated = await runHere(workshop, ['simulate', file, '--for', '1m']);
    expect([simulated.exitCode, warningsIn(simulated)]).toEqual([0, warningsAbout(file)]);
    expect(await runHere(workshop, ['netpol', 'check', 'plain', 'plain:80', '-f', file])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  it('is found in a list of its version', async (context) => {
    const workshop = workshopFor(context);
    const list =
      '\napiVersion: extensions/v1beta1\nkind: IngressList\nitems:\n- metadata: {name: one}\n- metadata: {name: two}\n';
    const file = workshop.file('all.yaml', `${POD}---${list}`);
    const ended = await workshop.run(['apply', file]);
    const text = textOf(['extensions/v1beta1', 'Ingress', ' - use networking.k8s.io/v1']);
    expect(warningsIn(ended)).toEqual([`Warning: ${text} (${file}:10:3)`, `Warning: ${text} (${file}:11:3)`]);
    expect(ended.exitCode).toBe(0);
  });

  it('is a mistake in the definitions of a test suite, as a cluster would refuse them', async (context) => {
    const file = workshopFor(context).file('crd.yaml', ALL);
    const { objects, mistakes } = await readDefinitions([file], 'definitions');
    const detail = 'no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1"';
    expect([objects, mistakes]).toEqual([
      [],
      [expect.objectContaining({ error: expect.objectContaining({ detail }) })],
    ]);
  });

  it('is a mistake where Kubernetes never had the version', async (context) => {
    const workshop = workshopFor(context);
    for (const apiVersion of ['extensions/v1', 'v1beta1', 'apps/v2', 'app.k8s.io/v1']) {
      const file = workshop.file('wrong.yaml', `${POD}---${old(apiVersion, 'Deployment')}`);
      const { exitCode, stderr } = await runHere(workshop, ['apply', file]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('- use apps/v1')]);
    }
  });
});
