import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source.ts';
import { type Podrun, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** A podrun of its own, whose program can be taken away. */
function ownPodrun(): { readonly program: string; readonly start: (...args: string[]) => Podrun } {
  const launcher = path.join(workshop.folderNamed('bin'), 'podrun.js');
  const program = path.join(workshop.folderNamed('dist'), 'podrun.packs');
  copyFileSync(path.join(root, 'bin/podrun.js'), launcher);
  copyFileSync(path.join(root, 'dist/podrun.packs'), program);
  return { program, start: (...args) => workshop.start(args, {}, undefined, { program: launcher }) };
}

it('says what is missing where podrun is not built', async () => {
  const podrun = ownPodrun();
  rmSync(podrun.program);
  const { exitCode, stderr } = await podrun.start('version').ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'podrun is not built yet: run npm run build.\n' });
});

it('goes on with what it was started as when podrun is installed anew', async () => {
  const { program, start } = ownPodrun();
  const file = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '60'] }] });
  // Writing a report needs parts of the program that nothing has needed before.
  const podrun = start('apply', file, '--report', 'report');
  await podrun.until(({ stdout }) => stdout.includes('Running and Ready'));
  rmSync(program);
  writeFileSync(program, 'something else');
  podrun.signal('SIGTERM');
  const { exitCode, stderr } = await podrun.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 143, stderr: '' });
});

it.runIf(process.platform === 'linux')(
  'starts, as a shell starts it, without certificates that only what it starts needs',
  async () => {
    const file = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '60'] }] });
    // What Node has seen of it is in the environment that it was started with.
    const check =
      'echo "$NODE_EXTRA_CA_CERTS, $(env | grep -c PODRUN_EXTRA_CA_CERTS), ' +
      '$(tr "\\0" "\\n" </proc/$PPID/environ | grep -c ^NODE_EXTRA_CA_CERTS=)"';
    const env = {
      ...process.env,
      PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
      PODRUN_STATE_DIR: workshop.stateDir,
      NODE_EXTRA_CA_CERTS: '/no/such/file.pem',
    };
    const args = ['apply', file, '-q', '--until', 'ready', '--', 'sh', '-c', check];
    const { stdout, stderr } = await promisify(execFile)(path.join(root, 'bin/podrun.js'), args, { env });
    expect({ stdout: stdout.trim().split('\n').at(-1), stderr }).toEqual({
      stdout: '/no/such/file.pem, 0, 0',
      stderr: '',
    });
  },
);

describe('where what was compiled when it was built does not fit', () => {
  /** Flags for V8, which are part of what must be the same. */
  const OTHER_FLAGS = { NODE_OPTIONS: '--stack-trace-limit=11' };

  async function version(env: Readonly<Record<string, string>>): Promise<void> {
    const { exitCode, stdout, stderr } = await workshop.run(['version'], { ...OTHER_FLAGS, ...env });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('podrun v'),
      stderr: '',
    });
  }

  function kept(folder: string): string[] {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  }

  /** The file of the pack that all commands need. */
  function mainPack(folder: string): string {
    return kept(folder).find((file) => path.basename(file) === 'podrun') ?? 'nothing';
  }

  it('keeps what is compiled for the next start, and adds what another command needs', async () => {
    const folder = workshop.folderNamed('cache');
    await version({ XDG_CACHE_HOME: folder });
    const first = statSync(mainPack(folder));
    expect((first.mode & 0o777).toString(8)).toBe('600');
    await version({ XDG_CACHE_HOME: folder });
    expect(statSync(mainPack(folder)).ino).toBe(first.ino);
    const manifest = workshop.pod('web', { containers: [{ name: 'main' }] });
    await workshop.run(['validate', manifest], { ...OTHER_FLAGS, XDG_CACHE_HOME: folder });
    expect(statSync(mainPack(folder)).ino).not.toBe(first.ino);
    const commands = path.join(path.dirname(mainPack(folder)), 'commands');
    expect(JSON.parse(readFileSync(commands, 'utf8'))).toEqual(['version', 'validate']);
  });

  it('believes no file that is damaged, or that others can write', async () => {
    const folder = workshop.folderNamed('cache');
    await version({ XDG_CACHE_HOME: folder });
    const whole = readFileSync(mainPack(folder));
    writeFileSync(mainPack(folder), whole.subarray(0, 5000));
    await version({ XDG_CACHE_HOME: folder });
    expect(statSync(mainPack(folder)).size).toBeGreaterThan(5000);
    chmodSync(mainPack(folder), 0o666);
    await version({ XDG_CACHE_HOME: folder });
    expect((statSync(mainPack(folder)).mode & 0o777).toString(8)).toBe('600');
  });

  it('compiles where nothing can be kept, or nothing is to be kept', async () => {
    await version({ XDG_CACHE_HOME: '/dev/null/cache' });
    const folder = workshop.folderNamed('cache');
    await version({ XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(kept(folder)).toEqual([]);
  });
});

it('loads what starts processes and opens sockets only where something of it is asked for', async () => {
  const file = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
  expect((await workshop.run(['apply', file])).exitCode).toBe(0);
  const hook = workshop.file(
    'hook.cjs',
    "process.on('exit', () => require('node:fs').writeFileSync('loaded', process.moduleLoadList.join('\\n')));",
  );
  const commands = [['version'], ['validate', file], ['get', 'pods'], ['describe', 'pod', 'web'], ['logs', 'web']];
  for (const command of [...commands, ['events'], ['history'], ['timeline', 'web']]) {
    const { exitCode } = await workshop.run(command, { NODE_OPTIONS: `--require ${hook}` });
    const loaded = readFileSync(path.join(workshop.folder, 'loaded'), 'utf8').split('\n');
    const slow = loaded.filter((name) => /^NativeModule (child_process|net|stream|tty|fs\/promises)$/.test(name));
    expect({ command, exitCode, slow }).toEqual({ command, exitCode: 0, slow: [] });
  }
});
