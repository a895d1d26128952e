import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quietly } from '../../src/quietly.ts';
import { makeRig, PATH, sh, until } from './support/process-rig.ts';
import { needs } from '../needs.ts';

const rig = makeRig();

function program(name: string, content: string): string {
  const path = join(rig.folder, name);
  mkdirSync(rig.folder, { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, 0o755);
  return path;
}

describe('a start that fails', () => {
  it.each([
    { argv: ['x'] as const, why: 'exec: "x": executable file not found in $PATH' },
    {
      argv: ['/no/such/binary'] as const,
      why: 'exec: "/no/such/binary": stat /no/such/binary: no such file or directory',
    },
    { argv: ['/etc'] as const, why: 'exec: "/etc": permission denied' },
  ])('says $why', async ({ argv, why }) => {
    expect(await rig.startFailing(argv)).toBe(why);
  });

  it('blames a working directory that is a file, not the program', async () => {
    const why = 'workingDir: mkdir /etc/passwd: not a directory';
    expect(await rig.startFailing(['true'], { cwd: '/etc/passwd' })).toBe(why);
    expect(await rig.startFailing(['/no/such'], { cwd: '/etc/passwd' })).toBe(why);
  });

  it('searches the PATH of the container, not ours', async () => {
    const why = 'exec: "true": executable file not found in $PATH';
    expect(await rig.startFailing(['true'], { env: { PATH: '/nowhere' } })).toBe(why);
    expect(await rig.startFailing(['true'], { env: {} })).toBe(why);
  });

  it('says when the system gives no more pipes', async () => {
    const file = program('not-a-folder', '');
    const { ProcessRuntime } = await import('../../src/runtime/process-runtime.ts');
    const runtime = new ProcessRuntime({ clock: rig.clock, fifoDir: join(file, 'fifos'), pipes: 'fifo' });
    await runtime.prepare();
    const launch = { id: 'none', argv: ['true'], env: { PATH }, cwd: '/', stdin: false } as const;
    const unheard = { onOutput: () => expect.unreachable(), onExit: () => expect.unreachable() };
    const outcome = await runtime.start({ ...launch, ...unheard });
    expect(outcome).toMatchObject({ ok: false, error: expect.stringMatching(/^no pipes for its output: /) });
  });
});

describe('what stands before a program', needs('Linux'), () => {
  const nsenter = ['/usr/bin/nsenter', '/bin/nsenter'].find((file) => existsSync(file)) ?? '';
  // No process has this number.
  const nowhere = { network: { nsenter, holderPid: 2 ** 30, isUsers: false } };
  const words = /^nsenter: cannot open \/proc\/1073741824\/ns\/net: No such file or directory$/;

  it('fails the start when it fails, and says why there, not in the log', async () => {
    const said = await rig.startFailing(['true'], { ...nowhere, onOutput: () => expect.unreachable() });
    expect(said).toMatch(words);
  });

  it('is not what it is that the program itself says, however short that lives', async () => {
    const { exit, text } = await rig.run(['sh', '-c', 'echo out; echo "setpriv: mine" >&2; exit 7'], {
      identity: { uid: undefined, gid: undefined, groups: undefined, capabilities: undefined, noNewPrivileges: true },
    });
    expect([exit.exitCode, text]).toEqual([7, 'out\nsetpriv: mine\n']);
  });
});

/** Programs that the kernel refuses after the container's start: runc's process prints the reason and exits. */
describe('a program that execve(2) refuses', () => {
  it.each([
    { name: 'whose interpreter is missing', content: '#!/no/such/interpreter\n', why: 'no such file or directory' },
    { name: 'with Windows line ends', content: '#!/bin/sh\r\nexit 0\r\n', why: 'no such file or directory' },
    { name: 'that is a script without #!', content: 'echo hello\n', why: 'exec format error' },
    { name: 'that is empty', content: '', why: 'exec format error' },
  ])('$name exits with 1 and says $why', async ({ content, why }) => {
    const path = program('script', content);
    const { exit, text, started } = await rig.run([path]);
    expect(text).toBe(`exec ${path}: ${why}\n`);
    expect(started.pieces[0]?.stream).toBe('stderr');
    expect(exit).toMatchObject({ exitCode: 1, signal: undefined });
  });

  it.each([{ name: 'a NUL in an argument', argv: ['true', 'a\0b'] as const, why: 'invalid argument' }])(
    '$name',
    async ({ argv, why }) => {
      const { exit, text } = await rig.run(argv);
      expect(text).toMatch(new RegExp(`^exec /.*/true: ${why}\n$`));
      expect(exit.exitCode).toBe(1);
    },
  );
});

it.each([
  { name: 'argument', argv: ['true', 'x'.repeat(300_000)] as const, env: { PATH } },
  { name: 'variable', argv: ['true'] as const, env: { PATH, LARGE: 'x'.repeat(200_000) } },
])('a program with too long an $name does not start, and writes nothing', async ({ argv, env }) => {
  expect(await rig.startFailing(argv, { env })).toMatch(/^exec \/.*\/true: argument list too long$/);
});

describe('a program that starts', () => {
  it('gets its environment, with the mark and without any of ours', async () => {
    const { text, started } = await rig.run(['env'], { env: { PATH, GREETING: 'hello\nworld', EMPTY: '' } });
    expect(text.split('\n').sort().join('\n').trim()).toBe(
      ['EMPTY=', 'GREETING=hello', `PATH=${PATH}`, `PODRUN_CONTAINER_ID=${started.id}`, 'world'].sort().join('\n'),
    );
  });

  it('gets its arguments as they stand, no shell in between', async () => {
    const { text } = await rig.run(['printf', '[%s]', '$HOME', '*', '', 'a b', '"']);
    expect(text).toBe('[$HOME][*][][a b]["]');
  });

  it('sees the name it was called by', async () => {
    expect((await rig.run(['sh', '-c', 'cat /proc/$$/cmdline'])).text).toMatch(/^sh\0-c\0/);
  });

  it('runs in its working directory, which is made when it is missing', async () => {
    const cwd = join(rig.folder, 'made/for/it');
    const { text } = await rig.run(['pwd'], { cwd });
    expect(text.trim()).toBe(realpathSync(cwd));
    expect(statSync(cwd).mode & 0o777).toBe(0o755);
  });

  it('finds a program relative to its working directory', async () => {
    program('here.sh', '#!/bin/sh\necho "$0 $1"\n');
    expect((await rig.run(['./here.sh', 'one'])).text).toBe('./here.sh one\n');
  });

  it('leads a session and a process group of its own, without a terminal', async () => {
    const { text, started } = await rig.run(sh('cut -d" " -f1,5,6,7 /proc/$$/stat'));
    const { pid } = started.container;
    expect(text.trim()).toBe(`${pid} ${pid} ${pid} 0`);
  });

  it('has the umask of a container, whatever ours is', async () => {
    const before = process.umask(0o077);
    try {
      expect((await rig.run(sh('umask'))).text.trim()).toBe('0022');
      expect(process.umask()).toBe(0o077);
    } finally {
      process.umask(before);
    }
  });

  it('inherits no descriptor but the standard streams', async () => {
    const { text } = await rig.run(sh('ls /proc/$$/fd; :'));
    // The shell itself may hold its script at 10 or more.
    expect(text.split('\n').filter((fd) => fd !== '' && Number(fd) < 10)).toEqual(['0', '1', '2']);
  });

  it('hears the signals that we ignore', async () => {
    process.on('SIGUSR2', () => undefined);
    const { text } = await rig.run(['grep', 'SigIgn', '/proc/self/status']);
    process.removeAllListeners('SIGUSR2');
    expect(text.trim()).toBe('SigIgn:\t0000000000000000');
  });

  it('reads the end of an empty standard input', async () => {
    expect((await rig.run(sh('readlink /proc/$$/fd/0; cat; echo end'))).text).toBe('/dev/null\nend\n');
  });

  it('waits for input when stdin is open, until it is killed', async () => {
    const started = await rig.start(sh('echo ready; cat; echo end'), { stdin: true });
    await until(() => started.text() === 'ready\n', started.text);
    started.container.kill();
    expect(await started.exit).toMatchObject({ exitCode: 137 });
    expect(started.text()).toBe('ready\n');
  });

  it('reads from a pipe that can be opened anew, and has an end', needs('Linux'), async () => {
    const started = await rig.start(sh('cat /dev/stdin; [ -p /dev/stdin ] && echo end'), { stdin: true });
    const { input } = started.container.streams ?? {};
    await input?.write(Buffer.from('one\n'));
    await until(() => started.text() === 'one\n', started.text);
    await input?.write(Buffer.from('two\n'));
    input?.end();
    expect(await started.exit).toMatchObject({ exitCode: 0 });
    expect(started.text()).toBe('one\ntwo\nend\n');
  });

  it('finds the end of its input also when it opens that after the end', needs('Linux'), async () => {
    const script =
      'read -r _; read -r _; timeout 50 cat /dev/stdin; echo $?; sleep 0.3; timeout 50 cat /dev/stdin; echo $?';
    const started = await rig.start(sh(script), { stdin: true });
    const { input } = started.container.streams ?? {};
    await input?.write(Buffer.from('one\n'));
    input?.end();
    expect(await started.exit).toMatchObject({ exitCode: 0 });
    expect(started.text()).toBe('0\n0\n');
  });

  describe('with FIFOs', () => {
    const inodes = 'stat -L -c %i /proc/self/fd/1 /proc/self/fd/2';
    const inodesOf = async (): Promise<string[]> => (await rig.run(sh(inodes))).text.trim().split('\n');

    it('has the FIFOs of a program that ended', async () => {
      const first = await inodesOf();
      expect((await inodesOf()).toSorted()).toEqual(first.toSorted());
    });

    it('has none that another process still holds', async () => {
      // The process has left the group, which ends with its leader, before its pid is printed.
      const stray = `exec 3>&1; pid=$(setsid sh -c 'sleep 60 >&3 3>&- & echo $!'); echo $pid`;
      const { text } = await rig.run(sh(`${inodes}; ${stray}`));
      const [first, second, pid] = text.trim().split('\n');
      try {
        const next = await inodesOf();
        expect(next).not.toContain(first);
        expect(next).not.toContain(second);
      } finally {
        // It may have been ended as a process that its container left.
        quietly(() => process.kill(Number(pid), 'SIGKILL'));
      }
    });

    it('has new ones where the old ones were removed', async () => {
      await rig.run(['true']);
      rmSync(join(rig.folder, 'fifos'), { recursive: true });
      expect((await rig.run(['echo', 'on'])).text).toBe('on\n');
    });
  });
});
