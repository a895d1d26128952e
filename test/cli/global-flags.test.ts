import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import type { Cli } from '../../src/cli/base/cli.ts';
import { painterFor } from '../../src/cli/view/painter-for.ts';
import { PLAIN } from '../../src/print/text/painter.ts';
import { commandNames } from './commands.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const once: PodSpec = { restartPolicy: 'Never', containers: [{ name: 'main', command: ['echo', 'hello'] }] };
const COLORED = '\u001B[';

describe('--color', () => {
  it.each([
    { flag: 'always', env: { NO_COLOR: '1', TERM: 'dumb' }, isTerminal: false, wanted: true },
    { flag: 'never', env: { FORCE_COLOR: '1' }, isTerminal: true, wanted: false },
    { flag: 'auto', env: {}, isTerminal: true, wanted: true },
    { flag: 'auto', env: {}, isTerminal: false, wanted: false },
    { flag: 'auto', env: { NO_COLOR: '1', FORCE_COLOR: '1' }, isTerminal: true, wanted: false },
    { flag: 'auto', env: { NO_COLOR: '' }, isTerminal: true, wanted: true },
    { flag: 'auto', env: { FORCE_COLOR: '1', TERM: 'dumb' }, isTerminal: false, wanted: true },
    { flag: 'auto', env: { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, isTerminal: true, wanted: false },
    { flag: 'auto', env: { FORCE_COLOR: 'false' }, isTerminal: true, wanted: false },
    { flag: 'auto', env: { CLICOLOR_FORCE: '1', TERM: 'dumb' }, isTerminal: false, wanted: true },
    { flag: 'auto', env: { CLICOLOR_FORCE: '0' }, isTerminal: false, wanted: false },
    { flag: 'auto', env: { TERM: 'dumb' }, isTerminal: true, wanted: false },
    { flag: 'auto', env: { CI: 'true' }, isTerminal: true, wanted: false },
    { flag: 'auto', env: { CI: '' }, isTerminal: true, wanted: true },
    { flag: 'auto', env: { CI: 'true', FORCE_COLOR: '1' }, isTerminal: false, wanted: true },
    { flag: 'always', env: { CI: 'true' }, isTerminal: false, wanted: true },
  ] as const)('$flag, $env, terminal: $isTerminal', async ({ flag, env, isTerminal, wanted }) => {
    let isPermitted = false;
    const stdout = { isTerminal, permitColors: () => (isPermitted = true) };
    const cli = { flags: { color: flag }, env, stdout } as unknown as Cli;
    const painter = await painterFor(cli, 'stdout');
    expect([painter !== PLAIN, isPermitted]).toEqual([wanted, wanted]);
  });

  it('decides before and behind the command', async () => {
    const manifest = workshop.pod('web', once);
    const colored = await workshop.run(['--color=always', 'apply', manifest]);
    const plain = await workshop.run(['apply', manifest, '--color', 'never'], { NO_COLOR: '', FORCE_COLOR: '1' });
    expect(colored.stdout).toContain(COLORED);
    expect(plain.stdout).not.toContain(COLORED);
    expect(await workshop.run(['get', 'pods', '--color', 'sometimes'])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('--quiet', () => {
  it('keeps the output of containers, and exit codes', async () => {
    const manifest = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: ['sh', '-c', 'echo hello; exit 3'] }],
    });
    const { exitCode, stdout } = await workshop.run(['apply', '-q', manifest]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: 'main | hello\n' });
    expect(await workshop.run(['apply', '-q', '--no-logs', manifest])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('prints no messages of success unless a format was requested', async () => {
    await workshop.run(['apply', workshop.pod('web', once)]);
    const silent = { exitCode: 0, stdout: '', stderr: '' };
    expect(await workshop.run(['label', 'pod', 'web', 'tier=front', '-q'])).toEqual(silent);
    expect(await workshop.run(['wait', 'pod/web', '--for=condition=Initialized', '-q'])).toEqual(silent);
    expect(await workshop.run(['-q', 'delete', 'pod', 'web', '-o', 'name'])).toEqual({
      ...silent,
      stdout: 'pod/web\n',
    });
    expect(await workshop.run(['get', 'pods', '-q'])).toEqual(silent);
    expect(await workshop.run(['gc', '-q'])).toEqual(silent);
    // Errors are printed with --quiet, too.
    expect((await workshop.run(['get', 'pod', 'web', '-q'])).stderr).toContain('pods "web" not found');
  });
});

describe('--verbose', () => {
  it('prints decisions on standard error and does not change the output', async () => {
    const manifest = workshop.pod('web', once);
    const { stdout, stderr } = await workshop.run(['apply', '-v', manifest, '--timeout=60s', '-o', 'json']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).not.toEqual([]);
    for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^podrun: /);
    expect(stderr).toContain(`state folder ${workshop.stateDir} ($PODRUN_STATE_DIR)`);
    expect(stderr).toContain(`${manifest} has pod/web`);
    expect(stderr).toContain('runtime tier process: PODRUN_RUNTIME=process');
    expect(stderr).toContain('waiting until every Pod has ended, for 60s');
    const [plain, told] = await Promise.all(
      [
        ['get', 'pods', '-o', 'name'],
        ['-v', 'get', 'pods', '-oname'],
      ].map((args) => workshop.run(args)),
    );
    expect(told?.stdout).toBe(plain?.stdout);
    expect(told?.stderr).toMatch(/^podrun: get, of podrun /);
  });

  it.each(['-v=6', '--v=2', '-qv'])('may be %s', async (flag) => {
    expect((await workshop.run(['get', 'pods', flag])).stderr).toContain('podrun: get, of podrun ');
  });

  it('is off at level 0', async () => {
    expect(await workshop.run(['version', '-v=0'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

it('every command takes the global flags, and its help lists them', async () => {
  for (const command of await commandNames(workshop)) {
    const { stdout, exitCode } = await workshop.run(['-q', '--color=never', command, '--no-pager', '-v', '--help']);
    expect({ command, exitCode }).toEqual({ command, exitCode: 0 });
    for (const flag of ['--color <when>', '-q, --quiet', '-v, --verbose', '--no-pager']) expect(stdout).toContain(flag);
  }
});

it('flags of a command may stand before its name', async () => {
  await workshop.run(['apply', workshop.pod('web', once), '-n', 'test']);
  expect((await workshop.run(['-n', 'test', 'get', 'pods', '-o', 'name'])).stdout).toBe('pod/web\n');
  expect((await workshop.run(['-o=name', '--namespace', 'test', 'get', 'pods'])).stdout).toBe('pod/web\n');
});
