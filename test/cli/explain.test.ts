import { describe, expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => workshop.run(['explain', ...args]);

describe('explain', () => {
  it('--support lists every field of every kind', async () => {
    const { exitCode, stdout } = await run('--support');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^FIELD +SUPPORT +NOTE\npod\.apiVersion +works\n/);
    const row = (path: string): string | undefined => stdout.split('\n').find((line) => line.startsWith(`${path} `));
    expect(row('pod.spec.schedulerName')).toMatch(/ no effect +there is one scheduler$/);
    expect(row('pod.spec.dnsConfig')).toMatch(/ partly +in the namespace tier; else no effect: containers use /);
    expect(row('namespace.spec.finalizers')).toMatch(/ checked /);
  });

  it('accepts every name of a kind, and paths with indexes as in events', async () => {
    const { stdout } = await run('po.spec.volumes[0].emptyDir', '--support', '--no-headers');
    expect(stdout.match(/^\S+/gm)).toEqual([
      'pod.spec.volumes.emptyDir',
      'pod.spec.volumes.emptyDir.medium',
      'pod.spec.volumes.emptyDir.sizeLimit',
    ]);
  });

  it('-o json prints JSON', async () => {
    const { stdout } = await run('pod.spec.topologySpreadConstraints', '-o', 'json');
    const [first, ...below] = JSON.parse(stdout) as unknown[];
    expect(first).toEqual({
      path: 'pod.spec.topologySpreadConstraints',
      type: '[]TopologySpreadConstraint',
      support: 'partly',
      note: 'there is one node; with --nodes it works as on a cluster',
    });
    expect(below).toHaveLength(13);
  });

  it('without --support prints the descriptions of Kubernetes and the support by podrun', async () => {
    const { stdout } = await run('pods.spec.dnsPolicy');
    expect(stdout).toMatch(/^KIND: {7}Pod\nVERSION: {4}v1\n\nFIELD: dnsPolicy <string>\nENUM:\n {4}ClusterFirst\n/);
    expect(stdout).toMatch(/\nSUPPORT:\n(?: {4}\S.*\n)+\nDESCRIPTION:\n {4}Set DNS policy for the pod\. /);
    expect(stdout.split('\n').filter((line) => line.length > 80 && line.includes(' ', 4))).toEqual([]);
  });

  it('has a description for every field of every kind', async () => {
    for (const kind of ['po', 'svc', 'cm', 'ev', 'ns', 'pvc', 'secret', 'sa', 'po.spec', 'po.spec.containers']) {
      const { stdout } = await run(kind);
      expect(stdout).toContain('\nFIELDS:\n');
      expect(stdout).not.toContain('<no description>');
    }
  });

  it.each([
    { args: [], exit: 2, why: 'error: You must specify the type of resource to explain.' },
    { args: ['pod', 'cm'], exit: 2, why: 'error: We accept only this format: explain RESOURCE' },
    { args: ['podz'], exit: 1, why: 'the server doesn\'t have a resource type "podz"' },
    { args: ['pod.spec.nosuch'], exit: 1, why: 'error: field "nosuch" does not exist' },
    { args: ['spec.tty'], exit: 2, why: 'error: "spec" is a field of many kinds' },
    { args: ['events', '--support'], exit: 2, why: 'error: podrun writes events itself: no manifest has their fields' },
    { args: ['pod', '-o', 'xml'], exit: 2, why: 'error: unable to match a printer suitable for the output format' },
  ])('reports the mistake in $args', async ({ args, exit, why }) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect([exitCode, stdout]).toEqual([exit, '']);
    expect(stderr.startsWith(why)).toBe(true);
  });
});
