import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { assertNothingLeft } from '../chaos/aftermath.ts';
import { agentPid } from '../chaos/agent-pid.ts';
import { type ImageWorld, openWorld } from '../images/registry.ts';
import { PATIENT } from '../patience.ts';
import { workshopForEach } from './workshop.ts';
import { need, needs } from '../needs.ts';

const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const has = (runtime: string): boolean => FOLDERS.some((folder) => existsSync(path.join(folder, runtime)));

const workshop = workshopForEach();
let world: ImageWorld;
beforeAll(async () => {
  const config = { Cmd: ['sh', '-c', 'cat /etc/x; id -un; grep Seccomp: /proc/self/status'], User: 'app' };
  world = await openWorld({ images: { 'app:1': { config, layers: [{ 'etc/x': 'of the image\n' }] } } });
});
afterAll(() => world.close());

/** A manifest of a RuntimeClass and a Pod of it. */
function manifest(handler: string, spec: PodSpec): string {
  const pod = workshop.pod('apart', { terminationGracePeriodSeconds: 5, ...spec, runtimeClassName: 'class' });
  const runtimeClass = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'class' }, handler };
  return workshop.file('all.yaml', `${stringify(runtimeClass)}---\n${readFileSync(pod, 'utf8')}`);
}

const APART = { PODRUN_RUNTIME: 'namespace' };

const STAYS = 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.1; done';
const server: PodSpec = {
  restartPolicy: 'Never',
  containers: [
    {
      name: 'main',
      command: ['sh', '-c', STAYS],
      securityContext: { runAsUser: 1234, runAsGroup: 1234 },
      resources: { limits: { memory: '100Mi' } },
      readinessProbe: { exec: { command: ['sh', '-c', 'test $(id -u) = 1234'] }, periodSeconds: 1 },
    },
  ],
};

describe.each(['crun', 'runc'])('the handler %s', needs('root', 'namespaces', 'layers of images'), (runtime) => {
  beforeEach((test) => need(test, { [`program ${runtime}`]: has(runtime) }));

  it('runs probes and commands under its filter; another agent takes the container over', async () => {
    const applied = await workshop.run(['apply', '-d', '--wait', manifest(runtime, server)], APART);
    expect(applied).toMatchObject({ exitCode: 0 });
    const script = 'id -u; tr "\\0" " " </proc/1/cmdline | head -c 5; grep Seccomp: /proc/self/status; exit 7';
    const ran = await workshop.run(['exec', 'apart', '--', 'sh', '-c', script]);
    expect(ran).toMatchObject({ exitCode: 7, stdout: '1234\nsh -cSeccomp:\t2\n' });
    process.kill(agentPid(workshop) ?? 0, 'SIGKILL');
    expect((await workshop.start(['get', 'pods']).ended).stdout).toMatch(/apart +1\/1 +Running +0/);
    expect(await workshop.run(['exec', 'apart', '--', 'true'])).toMatchObject({ exitCode: 0 });
    expect(await workshop.run(['delete', 'pod/apart'])).toMatchObject({ exitCode: 0 });
    await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it('runs an image; nothing is left of a podrun that was killed', async () => {
    const [container] = server.containers;
    const image = { name: 'image', image: `${world.host}/app:1` };
    const stays = { ...container, name: 'stays', command: ['sh', '-c', `setsid sleep 300 & ${STAYS}`] };
    const spec = { restartPolicy: 'Never' as const, containers: [image, stays] };
    const podrun = workshop.start(['apply', manifest(runtime, spec)], { ...APART, PODRUN_IMAGES: 'auto' });
    await podrun.until(({ stdout }) => /│ .* up$/m.test(stdout) && /image .*exited with code 0/.test(stdout));
    for (const line of ['of the image', 'app', 'Seccomp:\t2'])
      expect(podrun.stdout).toMatch(new RegExp(`│ .* ${line}`));
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes(), PATIENT).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it('gives a terminal, and the exit code of a program that a signal ends', async () => {
    const spec: PodSpec = {
      restartPolicy: 'Never',
      containers: [
        { name: 'terminal', tty: true, command: ['sh', '-c', 'tty; exit 5'] },
        { name: 'killed', command: ['sh', '-c', 'sh -c "kill -9 \\$\\$"'] },
      ],
    };
    const { exitCode, stdout } = await workshop.run(['apply', manifest(runtime, spec)], APART);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/terminal +\/dev\/(pts\/\d+|console)/);
    expect(stdout).toMatch(/terminal +exited with code 5/);
    expect(stdout).toMatch(/killed +exited with code 137/);
    await assertNothingLeft(workshop);
  });
});

it('a runtime that does not work keeps the Pod Pending, with the reason', needs('root', 'namespaces'), async () => {
  const config = workshop.file('podrun.yaml', 'runtimeHandlers: { other: { type: oci, path: /bin/false } }\n');
  const args = ['apply', manifest('other', server), '--config', config];
  const podrun = workshop.start(args, APART);
  await podrun.until(({ stdout }) => stdout.includes('cannot be used here'));
  expect(podrun.stdout).toMatch(/the OCI runtime of the handler cannot be used here: a trial run failed: /);
  podrun.signal('SIGTERM');
  await podrun.ended;
  expect(readdirSync(path.join(workshop.stateDir, '.runtime')).filter((name) => name.startsWith('.tmp'))).toEqual([]);
});
