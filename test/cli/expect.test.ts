import { describe, expect, it } from 'vitest';
import { checkJunit } from '../print/report/check-junit.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Runs a Pod that ends with this exit code. Answers the watch events. */
async function ran(code: number): Promise<string> {
  const container = { name: 'main', command: ['sh', '-c', `exit ${code}`] };
  const manifest = workshop.pod('job', { restartPolicy: 'Never', containers: [container] });
  return (await workshop.run(['apply', '-o', 'json', manifest])).stdout;
}

const EXPECTED = 'pod: job\nsteps:\n- started: main\n- exited: main\n  code: 0\n- phase: Succeeded\n';

describe('expect', () => {
  it('is met by the run that it was printed from, and not by another run', async () => {
    await ran(0);
    const { stdout: printed } = await workshop.run(['expect', '--print', 'job']);
    expect(printed).toContain('exitCodes:\n    main: 0\n');
    workshop.file('e.yaml', printed);
    const met = await workshop.run(['expect', 'e.yaml']);
    expect(met).toMatchObject({ exitCode: 0, stderr: '' });
    expect(met.stdout).toMatch(/^✓ job: as expected, \d+ expectations \(e\.yaml:1\)\n$/);
    await ran(3);
    const { exitCode, stdout } = await workshop.run(['expect', 'e.yaml', 'job', 'job@1']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ job: not as expected, \d of \d+ expectations not met \(e\.yaml:1\)\n {2}e\.yaml:\d+: /);
    expect(stdout).toMatch(/^✓ job@1: as expected/m);
  });

  it('checks a saved stream, and prints the formats of CI', async () => {
    workshop.file('run.ndjson', await ran(3));
    workshop.file('e.yaml', EXPECTED);
    const args = ['expect', 'e.yaml', '--from', 'run.ndjson'];
    const text = await workshop.run(args, { PODRUN_STATE_DIR: '/nonexistent' });
    expect(text.exitCode).toBe(1);
    expect(text.stdout.replaceAll(/\d+\.\d{3}s/g, 'T')).toBe(
      [
        '✗ job: not as expected, 1 of 3 expectations not met (e.yaml:1)',
        '  e.yaml:4: exited: main, code: 0',
        '    never came after started: main (T)',
        '    seen: T  exited: main, code: 3, reason: Error',
        '  1 step after that not checked',
        '',
      ].join('\n'),
    );
    const json = await workshop.run([...args, '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      run: 'job',
      met: false,
      checks: [{ met: true }, { place: 'e.yaml:4', expected: 'exited: main, code: 0', met: false }],
      notLookedFor: 1,
    });
    const junit = await workshop.run([...args, '-o', 'junit']);
    expect(checkJunit(junit.stdout).errors).toEqual([]);
    expect(junit.stdout).toContain('<testsuite name="job" tests="2" failures="1" errors="0" skipped="0">');
    expect(junit.stdout).toContain('<testcase classname="job" name="exited: main, code: 0" file="e.yaml" line="4">');
  });

  it.each([
    [['expect', 'none.yaml'], 2, 'error: there is no file none.yaml\n'],
    [['expect', 'bad.yaml'], 2, 'error: bad.yaml:1:1: stps: unknown field, did you mean "steps"?\nerror: bad.yaml:2:'],
    [['expect', 'any.yaml'], 2, 'error: any.yaml:1 names no Pod: name a run on the command line, or write pod: NAME\n'],
    [['expect', 'e.yaml', 'job', '--from', 'x'], 2, 'error: cannot specify runs and --from together\n'],
    [['expect', 'e.yaml'], 1, 'Error from server (NotFound): pods "job" not found\n'],
    [['expect', 'e.yaml', '--from', 'run.json'], 1, 'error: e.yaml:1 names the Pod job, but the runs are of web\n'],
  ])('%j is refused', async (args, code, message) => {
    workshop.file('e.yaml', EXPECTED);
    workshop.file('any.yaml', 'phases: [Pending]\n');
    workshop.file('bad.yaml', 'stps: []\nfinal: {phase: x}\n');
    const metadata = { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-15T12:00:00Z' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [] }, status: { phase: 'Failed' } };
    workshop.file('run.json', JSON.stringify({ type: 'ADDED', object: pod }));
    const { exitCode, stdout, stderr } = await workshop.run(args);
    expect({ exitCode, stdout, message: stderr.slice(0, message.length) }).toEqual({
      exitCode: code,
      stdout: '',
      message,
    });
  });
});

describe('apply --expect', () => {
  it('fails for a run that does not meet the expectations', async () => {
    const container = { name: 'main', command: ['true'] };
    const manifest = workshop.pod('job', { restartPolicy: 'Never', containers: [container] });
    workshop.file('met.yaml', EXPECTED);
    workshop.file('unmet.yaml', 'never: [{exited: main}]\n');
    const met = await workshop.run(['apply', manifest, '--expect', 'met.yaml']);
    expect({ exitCode: met.exitCode, stderr: met.stderr }).toEqual({
      exitCode: 0,
      stderr: '✓ job: as expected, 3 expectations (met.yaml:1)\n',
    });
    const unmet = await workshop.run(['apply', manifest, '-o', 'json', '--expect', 'unmet.yaml']);
    expect(unmet.exitCode).toBe(1);
    expect(unmet.stderr).toContain('✗ job: not as expected, 1 of 1 expectation not met (unmet.yaml:1)');
  });

  it.each([
    ['met.yaml', 'error: met.yaml:1 names the Pod job, but the manifests have web\n'],
    ['bad.yaml', 'error: bad.yaml:1:1: stps: unknown field, did you mean "steps"?\n'],
  ])('starts nothing when %s is wrong', async (file, message) => {
    const manifest = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
    workshop.file('met.yaml', EXPECTED);
    workshop.file('bad.yaml', 'stps: []\n');
    const { exitCode, stdout, stderr } = await workshop.run(['apply', manifest, '--expect', file]);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: '', stderr: message });
    expect((await workshop.run(['get', 'pods'])).stdout).toBe('');
  });
});
