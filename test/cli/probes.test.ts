import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProbeAttempt } from '../../src/lifecycle/probes/probe-attempt.ts';
import { httpServer } from '../kubelet/local-servers.ts';
import { stageForEach } from '../puppet/stage.ts';
import { newPod } from '../store/objects.ts';
import { openStore } from '../store/temporary-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

function attemptsIn(text: string): ProbeAttempt[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ProbeAttempt]));
}

describe('probes', () => {
  it('prints every attempt while the Pod runs and after its end', async () => {
    let status = 200;
    const port = await httpServer((_, response) => response.writeHead(status).end(`status ${status}`));
    const flag = path.join(workshop.folder, 'ready');
    const command = `test -e ${flag} && echo yes || { echo not yet; exit 3; }`;
    const readinessProbe = { exec: { command: ['sh', '-c', command] }, periodSeconds: 1, failureThreshold: 1 };
    const livenessProbe = { httpGet: { host: '127.0.0.1', port }, periodSeconds: 1, failureThreshold: 1 };
    const container = { name: 'main', command: stage.command('main'), readinessProbe, livenessProbe };
    const manifest = workshop.pod('web', { restartPolicy: 'Never', containers: [container] });
    const apply = workshop.begin(['apply', manifest]);
    await stage.puppet('main');
    const follow = workshop.begin(['probes', 'web', '-f', '-o', 'json']);
    await follow.until(({ stdout }) => stdout.includes('not yet'));
    writeFileSync(flag, '');
    await follow.until(({ stdout }) => stdout.includes('"ready"'));
    status = 500;
    await follow.until(({ stdout }) => stdout.includes('"kill"'));
    await apply.ended;
    const { exitCode, stdout } = await follow.ended;
    expect(exitCode).toBe(0);
    const attempts = attemptsIn(stdout);
    expect(attempts.find(({ decision }) => decision === 'ready')).toMatchObject({
      container: 'main',
      restartCount: 0,
      probe: 'readiness',
      result: 'success',
      exitCode: 0,
      output: 'yes\n',
      successes: 1,
    });
    expect(attempts.find(({ decision }) => decision === 'kill')).toMatchObject({
      probe: 'liveness',
      result: 'failure',
      httpStatus: 500,
      failures: 1,
    });

    const said = await workshop.run(['probes', 'pod/web', '-o', 'json']);
    expect(attemptsIn(said.stdout).slice(0, attempts.length)).toEqual(attempts);
    const text = await workshop.run(['probes', 'web', '--type', 'liveness']);
    expect(text.stdout).toMatch(/^main {2}Liveness {2}http-get http:\/\/127.0.0.1:\d+\/ delay=0s .*\n {2}RUN +AT .*\n/);
    expect(text.stdout).toMatch(/failure \(HTTP 500\) +1\/1 +kill +HTTP probe failed with statuscode: 500\n$/);
    const last = await workshop.run(['probes', 'web', '-c', 'main', '--tail=1', '-o', 'json']);
    expect(attemptsIn(last.stdout)).toEqual(attemptsIn(said.stdout).slice(-1));
  });

  it('reports that a Pod has no probes', async () => {
    openStore(workshop.stateDir).create('pods', newPod('web', { phase: 'Running' }));
    const said = { exitCode: 0, stdout: '' };
    expect(await workshop.run(['probes', 'web'])).toEqual({ ...said, stderr: 'No probes in pod web.\n' });
    expect(await workshop.run(['probes', 'web', '-c', 'main', '--type=startup'])).toEqual({
      ...said,
      stderr: 'No startup probes in container main of pod web.\n',
    });
  });

  it.each([
    [['nope'], 1, 'Error from server (NotFound): pods "nope" not found'],
    [['web', '-n', 'other'], 1, 'Error from server (NotFound): pods "web" not found'],
    [['web', '-c', 'nope'], 1, 'error: container nope is not valid for pod web out of: main'],
    [['svc/web'], 2, 'error: podrun runs probes of Pods only, not of services'],
    [['web', '--type=health'], 2, 'error: valid --type are startup, liveness or readiness, not "health"'],
    [['web', '--tail=-2'], 2, 'error: --tail must be greater than or equal to -1'],
    [['web', '--tail=all'], 2, 'error: invalid argument "all" for "--tail" flag: it must be a whole number'],
    [['web', '-o', 'yaml'], 2, /^error: unable to match a printer suitable for the output format "yaml"/],
  ])('refuses %j', async (words, exitCode, message) => {
    openStore(workshop.stateDir).create('pods', newPod('web', { phase: 'Running' }));
    const refused = await workshop.run(['probes', ...words]);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr.trimEnd()).toMatch(message);
  });
});
