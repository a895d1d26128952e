import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkJunit } from '../print/report/check-junit.ts';
import { stageForEach } from '../puppet/stage.ts';
import { workshopForEach } from './workshop.ts';
import { runHere } from './in-process.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const reportFolder = (): string => path.join(workshop.folder, 'reports/web');
const reportOf = (file: string): string => readFileSync(path.join(reportFolder(), file), 'utf8');

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

const FILES = ['events.json', 'junit.xml', 'pods.json', 'timeline.html'];

describe('apply --report', () => {
  it('writes the page, the verdicts, the objects and the logs', async () => {
    const command = ['sh', '-c', 'echo "<b>hello</b>"; echo ]]\\>; exit 3'];
    const manifest = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox', command }],
    });
    const { exitCode } = await workshop.run(['apply', manifest, '--report', reportFolder()]);
    expect(exitCode).toBe(1);
    expect(filesIn(reportFolder())).toEqual([...FILES, 'logs/web/main/0.log'].toSorted());
    expect(reportOf('logs/web/main/0.log')).toMatch(/^<b>hello<\/b>\n/);
    const pods = JSON.parse(reportOf('pods.json')) as { kind: string; items: Array<{ status: { phase: string } }> };
    expect([pods.kind, pods.items.map(({ status }) => status.phase)]).toEqual(['List', ['Failed']]);
    expect(reportOf('events.json')).toContain('"reason": "Started"');
    const junit = reportOf('junit.xml');
    expect(checkJunit(junit).errors).toEqual([]);
    expect(junit).toContain('tests="2" failures="2"');
    expect(junit).toContain('&lt;b&gt;hello&lt;/b&gt;');
    const page = reportOf('timeline.html');
    expect(page).toContain('&lt;b&gt;hello&lt;/b&gt;');
    expect(page).not.toContain('<b>hello');
    expect(page).toContain('aria-label="Zoom out">&minus;</button>');
    // A browser reads every character of the page as meant: none is a C1 control character.
    expect(page).not.toMatch(/[\u0080-\u009f]/);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is written when %s interrupts podrun', async (signal, code) => {
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: stage.command('main') }] });
    const apply = workshop.begin(['apply', manifest, '--report', reportFolder()]);
    await stage.puppet('main');
    await apply.until(({ stdout }) => stdout.includes('ContainersReady, Ready'));
    apply.signal(signal);
    expect((await apply.ended).exitCode).toBe(code);
    expect(filesIn(reportFolder()).filter((file) => !file.startsWith('logs/'))).toEqual(FILES);
    expect(checkJunit(reportOf('junit.xml')).errors).toEqual([]);
    expect(reportOf('junit.xml')).toContain('<skipped message="interrupted while waiting for ');
  });

  it('contains the timeout and COMMAND', async () => {
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: stage.command('main') }] });
    const late = await untilTimeIsUp(
      (more) => workshop.run(['apply', manifest, '--timeout', LIMIT, '--report', reportFolder()], {}, more),
      (shown) => shown.includes('ContainersReady, Ready'),
    );
    expect(late.exitCode).toBe(124);
    expect(reportOf('junit.xml')).toContain('<failure message="waiting for ');
    const failing = ['apply', manifest, '--report', reportFolder(), '--', 'sh', '-c', 'exit 7'];
    expect((await workshop.run(failing)).exitCode).toBe(7);
    expect(reportOf('junit.xml')).toContain('<failure message="it exited with code 7"');
    expect(reportOf('junit.xml')).toMatch(/name="goal Ready" time="[\d.]+"\/>/);
  });

  it('has the time and the output of COMMAND, and its verdict', async () => {
    const manifest = workshop.pod('web', {
      containers: [
        { name: 'main', command: ['sh', '-c', 'until test -e crash; do sleep 0.1; done; rm crash; echo oops; exit 3'] },
      ],
    });
    const again = "--for=jsonpath='{.status.containerStatuses[0].restartCount}'=1";
    const wait = workshop.commandLine(['wait', 'pod/web', '--timeout=3m']).join(' ');
    const check = `echo checking; touch crash; ${wait} ${again} && echo '<done>' >&2 && sleep 1`;
    const apply = ['apply', manifest, '--settle', '0', '--report', reportFolder()];
    const failed = await workshop.run([...apply, '--', 'sh', '-c', check]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toContain('checking\n');
    expect(failed.stderr).toContain('<done>\n');
    const junit = reportOf('junit.xml');
    expect(checkJunit(junit).errors).toEqual([]);
    expect(junit).toContain('<failure message="it did not stay ready: container main exited with code 3"');
    expect(junit).toMatch(/<system-out>checking\npod\/web condition met\n&lt;done&gt;\n<\/system-out>/);
    const [whole, web, command] = [...junit.matchAll(/<testsuites? .*time="([\d.]+)"/g)].map(([, time]) =>
      Number(time),
    );
    expect(command).toBeGreaterThanOrEqual(1);
    expect(whole).toBeGreaterThanOrEqual(Math.max(web ?? 0, command ?? 0));
    expect(web).toBeGreaterThan(command ?? 0);
    const ready = `${check}; ${wait} --for=condition=Ready`;
    expect(await workshop.run([...apply, '--allow-restarts', '--', 'sh', '-c', ready])).toMatchObject({ exitCode: 0 });
    expect(reportOf('junit.xml')).toContain('failures="0"');
    expect(reportOf('junit.xml')).toContain('restarted once');
  });

  it('has a failure for a timeout or an unmet expectation', async () => {
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const report = ['--report', reportFolder()];
    const settling = ['apply', manifest, '--until', 'ready', '--settle', '2h', '--timeout', LIMIT, ...report];
    const late = await untilTimeIsUp(
      (more) => workshop.run(settling, {}, more),
      (shown) => shown.includes('ContainersReady, Ready'),
    );
    expect(late.exitCode).toBe(124);
    expect(reportOf('junit.xml')).toContain('<failure message="the timeout passed before the goal was met"');
    const begins = ['sh', '-c', ': >begun; exec sleep 1000'];
    const slow = ['apply', manifest, '--settle', '0', '--timeout', LIMIT, ...report, '--', ...begins];
    const cutOff = await untilTimeIsUp(
      (more) => runHere(workshop, slow, more),
      () => existsSync(path.join(workshop.folder, 'begun')),
    );
    expect(cutOff.exitCode).toBe(124);
    expect(reportOf('junit.xml')).toContain('<failure message="the timeout passed while it was running"');
    const file = path.join(workshop.folder, 'web.expect.yaml');
    writeFileSync(file, 'never: [{ phase: Running }]\n');
    const unexpected = ['apply', manifest, '--until', 'ready', '--settle', '0', '--expect', file, ...report];
    expect((await workshop.run(unexpected)).exitCode).toBe(1);
    expect(reportOf('junit.xml')).toMatch(/<testsuites .*failures="1"/);
  });

  it('starts nothing when the folder cannot be written', async () => {
    writeFileSync(path.join(workshop.folder, 'file'), '');
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['true'] }] });
    const folder = path.join(workshop.folder, 'file/reports');
    const { exitCode, stderr, stdout } = await workshop.run(['apply', manifest, '--report', folder]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`error: the report cannot be written to ${folder}: ENOTDIR`);
    expect(stderr).toContain('Nothing was started.');
    const file = path.join(workshop.folder, 'file');
    const taken = await workshop.run(['apply', manifest, '--report', file]);
    expect(taken).toMatchObject({ exitCode: 2, stdout: '' });
    expect(taken.stderr).toContain(`written to ${file}: it exists and is no folder\nNothing was started.`);
    // A folder in which no folder can be made.
    const nowhere = await workshop.run(['apply', manifest, '--report', '/proc/none/web']);
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: '' });
    expect(existsSync(path.join(workshop.stateDir, 'pods'))).toBe(false);
    for (const flag of ['--detach', '--dry-run']) {
      const refused = await workshop.run(['apply', manifest, '--report', reportFolder(), flag]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain(`error: --report cannot be used with ${flag}`);
    }
  });

  it('lists Pods of another podrun without a verdict', async () => {
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: stage.command('main') }] });
    const other = workshop.begin(['apply', manifest]);
    await other.until(({ stdout }) => stdout.includes('ContainersReady, Ready'));
    const changing = await workshop.run(['apply', manifest, '--report', reportFolder()]);
    expect(changing).toMatchObject({ exitCode: 0, stdout: 'pod/web unchanged\n' });
    expect(filesIn(reportFolder()).filter((file) => !file.startsWith('logs/'))).toEqual(FILES);
    expect(reportOf('junit.xml')).toContain('tests="1" failures="0" errors="0" skipped="1"');
    other.signal('SIGINT');
    await other.ended;
  });
});
