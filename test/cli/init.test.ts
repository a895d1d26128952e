import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Part, PARTS } from '../../src/manifest/starter/parts.ts';
import { starterManifest } from '../../src/manifest/starter/starter.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const ALL = Object.keys(PARTS) as Part[];
/** No part, and each part alone. */
const ONE: ReadonlyArray<readonly Part[]> = [[], ...ALL.map((part) => [part])];
const OTHERS: ReadonlyArray<readonly Part[]> = ALL.map((part) => ALL.filter((other) => other !== part));

describe('init writes a manifest that runs unchanged', () => {
  it.each([
    { what: 'tasks', isTask: true, choices: ONE, goal: [] },
    { what: 'services', isTask: false, choices: OTHERS, goal: ['--until', 'ready'] },
  ])('$what', { timeout: 300_000 }, async ({ isTask, choices, goal }) => {
    const files = choices.map((parts, index) => {
      const name = `pod-${index}`;
      const options = { name, kind: 'Pod', parts: new Set(parts), isTask, file: undefined } as const;
      return workshop.file(`${name}.yaml`, starterManifest(options));
    });
    const whole = path.join(workshop.folder, 'whole.yaml');
    const init = await workshop.run([
      'init',
      'whole',
      '--with',
      ALL.join(','),
      ...(isTask ? ['--task'] : []),
      '-o',
      whole,
    ]);
    expect(init).toMatchObject({ exitCode: 0, stdout: '' });
    files.push(whole);
    const { exitCode, stdout } = await workshop.run(['apply', ...files, ...goal, '--timeout', '4m']);
    // Without namespaces, every Pod has a warning about the place of its volumes, and without cgroups about its limits.
    // On a busy machine, a probe may time out.
    const trouble = (stdout.match(/.*✗.*/g) ?? []).filter(
      (line) => !/VolumeNotAtMountPath|LimitsNotEnforced|Unhealthy|ended: phase Failed/.test(line),
    );
    expect({ exitCode, trouble }).toEqual({ exitCode: 0, trouble: [] });
  });
});

it('prints a manifest that apply takes from a pipe, and writes no file', async () => {
  const { stdout, exitCode } = await workshop.run(['init', 'web', '--with', 'init', '--with=probe,Volumes']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^# A Pod that serves/);
  expect(stdout).toContain('  name: web #');
  expect(stdout).toContain('initContainers:');
  expect(stdout).toContain('startupProbe:');
  expect(existsSync(workshop.stateDir)).toBe(false);
});

it('writes a Deployment and a Job that run unchanged, and a CronJob', async () => {
  const written = async (kind: string): Promise<string> => {
    const file = path.join(workshop.folder, `${kind}.yaml`);
    await workshop.run(['init', kind, '--kind', kind, '--with', 'all', '-o', file]);
    return file;
  };
  const deployment = await workshop.run(['apply', await written('deployment'), '--until', 'ready']);
  expect(deployment.exitCode).toBe(0);
  expect(deployment.stdout).toContain('2/2 ready');
  expect(await workshop.run(['apply', await written('job')])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Complete, 1/1') as string,
  });
  const cronJob = await workshop.run(['apply', await written('cronjob'), '--dry-run=server', '--strict']);
  expect(cronJob).toMatchObject({ exitCode: 0, stderr: '' });
});

it('writes a ConfigMap, a Service and an Ingress that run unchanged', async () => {
  const written = async (kind: string): Promise<string> => {
    const file = path.join(workshop.folder, `${kind}.yaml`);
    await workshop.run(['init', `of-${kind}`, '--kind', kind, '-o', file]);
    return file;
  };
  expect(await workshop.run(['apply', await written('configmap')])).toMatchObject({ exitCode: 0, stderr: '' });
  const served = [await written('service'), await written('ingress')];
  // Not every machine finds names below localhost.
  const check = `for (const name of ['SERVICE', 'INGRESS']) {
    const { host, hostname, port } = new URL(process.env['PODRUN_OF_' + name + '_URL']);
    const address = hostname.replace(/.*\\.localhost$/, '127.0.0.1');
    require('http').get({ host: address, port, headers: { host } }, (got) => got.pipe(process.stdout));
  }`;
  const { exitCode, stdout } = await workshop.run(['apply', ...served, '--', process.execPath, '-e', check]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  expect(stdout).toMatch(/^hello from of-service-/m);
  expect(stdout).toMatch(/^hello from of-ingress-/m);
});

it('overwrites no file without --force', async () => {
  const file = workshop.file('pod.yaml', 'mine\n');
  expect(await workshop.run(['init', '-o', file])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `error: ${file} exists already\n--force overwrites it.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('mine\n');
  expect((await workshop.run(['init', '-o', file, '--force'])).exitCode).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('kind: Pod');
});

it.each([
  [['init', 'No_Name'], 'error: invalid name "No_Name": a lowercase RFC 1123 label'],
  [['init', '--with', 'prubes'], 'error: unknown part of a manifest: "prubes"\nDid you mean probes?'],
  [['init', '--with', 'xyz'], 'error: unknown part of a manifest: "xyz"\nThe parts are init, '],
  [['init', '--force'], 'error: --force needs -o FILE'],
  [
    ['init', '--kind', 'Node'],
    'error: unknown kind for a manifest: "Node"\nThe kinds are pod, deployment, job, cronjob, service, ingress, ',
  ],
  [['init', '--kind', 'deployment', '--task'], 'error: --task and --kind deployment cannot be used together'],
  [['init', '--kind', 'service', '--task'], 'error: --task and --kind service cannot be used together'],
  [['init', '--kind', 'ingress', '--with', 'env'], 'error: --with and --kind ingress cannot be used together'],
])('%s is refused', async (args, message) => {
  const { exitCode, stdout, stderr } = await workshop.run(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr.startsWith(message)).toBe(true);
});
