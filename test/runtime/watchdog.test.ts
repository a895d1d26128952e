import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { factsOf } from '../../src/runtime/watch/process-identity.ts';
import { WATCHDOG_SCRIPT } from '../../src/runtime/watch/watchdog-script.ts';
import { parseRecord } from '../../src/store/logs/cri-line.ts';
import { isRunning, markedPids } from './support/process-rig.ts';
import { PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';
import { isRest } from '../rest.ts';
import { removeTree } from '../../src/remove-tree.ts';

const ALL_SHELLS = [
  ['/bin/sh'],
  ['/bin/bash', '--norc', '--posix'],
  ['/bin/busybox', 'sh'],
  ['/bin/zsh', '--emulate', 'sh'],
];
/** `npm test` tries the first two. */
const SHELLS = (isRest ? ALL_SHELLS.slice(2) : ALL_SHELLS.slice(0, 2)).filter(([shell = '']) => existsSync(shell));

const prefix = `watchdog-${process.pid}`;
const started: number[] = [];
const folders: string[] = [];
let count = 0;

afterEach(() => {
  for (const pid of [...started.splice(0), ...markedPids(prefix)]) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process is gone, or is not a leader.
    }
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
  for (const folder of folders.splice(0)) removeTree(folder);
});

interface Member {
  readonly pid: number;
  readonly mark: string;
  /** The group in the watchdog's protocol. */
  readonly group: string;
  readonly child: ChildProcess;
}

/** A group whose leader runs a script and reports its end. */
async function leader(script: string): Promise<Member> {
  const mark = `${prefix}/main/${++count}`;
  const child = spawn('/bin/sh', ['-c', `${script}\necho ready; exec sleep 60`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], PODRUN_CONTAINER_ID: mark },
  });
  if (child.stdout === null || child.pid === undefined) throw new Error('not started');
  started.push(child.pid);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  return { pid: child.pid, mark, group: `${child.pid}:${factsOf(child.pid)?.startTime ?? ''}`, child };
}

/**
 * Sends lines to the watchdog, then closes its input, as the end of podrun does. Resolves when the watchdog has ended.
 */
async function watch(
  [shell = '', ...args]: readonly string[],
  lines: readonly string[],
  // As podrun starts it.
  env: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin' },
  script: string = WATCHDOG_SCRIPT,
): Promise<number> {
  const watchdog = spawn(shell, [...args, '-c', script], { stdio: ['pipe', 'ignore', 'pipe'], env });
  let errors = '';
  watchdog.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  watchdog.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [exitCode] = (await once(watchdog, 'close')) as [number];
  // dash ends what kill(1) says with an empty line.
  expect(errors.replaceAll(/.*(No such process|no such process|invalid number '--').*\n+/g, '')).toBe('');
  return exitCode;
}

describe.each(SHELLS)('the watchdog in %s', (...shell) => {
  it('kills every group that is listed when podrun dies', async () => {
    const members = await Promise.all(['', 'trap "" TERM INT HUP', 'sleep 60 & sleep 60 &'].map(leader));
    await watch(
      shell,
      members.map(({ group }) => `add ${group}`),
    );
    await expect.poll(() => markedPids(prefix)).toEqual([]);
  });

  it('leaves alone what was not listed, or not any more', async () => {
    const [kept, gone, other] = await Promise.all([leader(''), leader(''), leader('')]);
    await watch(
      shell,
      [`add ${kept.group}`, `mark 1 ${kept.mark}`, `add ${gone.group}`, `mark 2 ${gone.mark}`].concat([
        `del ${kept.group}`,
        'unmark 1',
      ]),
    );
    await expect.poll(() => isRunning(gone.pid)).toBe(false);
    expect([kept, other].map(({ pid }) => isRunning(pid))).toEqual([true, true]);
  });

  it('has nothing to do when podrun ends as it should', async () => {
    const bystander = await leader('');
    expect(await watch(shell, [`add ${bystander.group}`, `del ${bystander.group}`])).toBe(0);
    expect(isRunning(bystander.pid)).toBe(true);
  });

  it('kills groups also where no program can be started', async () => {
    const members = await Promise.all(['', ''].map(leader));
    await watch(
      shell,
      members.map(({ group }) => `add ${group}`),
      { PATH: '/nonexistent' },
    );
    await expect.poll(() => members.map(({ pid }) => isRunning(pid))).toEqual([false, false]);
  });

  it('knows thousands, and what became of each', async () => {
    const gone = await leader('');
    const many = Array.from({ length: 3000 }, (_, index) => index + 2);
    const pidMax = 4_194_304;
    const add = many.flatMap((n) => [`add ${pidMax + n}:${n}`, `mark ${n} ${prefix}/nobody/${n}`]);
    const again = many.flatMap((n) => [`del ${pidMax + n}:${n}`, `add ${pidMax + n}:${n}`]);
    const remove = many.flatMap((n) => [`del ${pidMax + n}:${n}`, `unmark ${n}`]);
    expect(await watch(shell, [...add, `add ${gone.group}`, ...again, ...remove])).toBe(0);
    await expect.poll(() => isRunning(gone.pid)).toBe(false);
  });

  it('is not misled by lines that it does not know, or that are torn', async () => {
    const bystander = await leader('');
    await watch(shell, [
      'add',
      'add ',
      'add 0:',
      'add 1:',
      'add :',
      'add 5',
      'add 5:6:7',
      `add${bystander.group}`,
      'nonsense 5',
      'mark',
      'mark ',
      'mark 1',
      'mark 2 ',
      'mark a',
      'unmark',
      'unmark 7',
      'free 12',
    ]);
    expect(isRunning(bystander.pid)).toBe(true);
  });

  it("leaves a group alone whose number is another one's by now", needs('Linux'), async () => {
    const { pid } = await leader('');
    await watch(shell, [`add ${pid}:1`]);
    expect(isRunning(pid)).toBe(true);
  });

  it('finds what has left its group', needs('Linux'), async () => {
    const member = await leader('(setsid sleep 60 &); setsid -f sh -c "(setsid sleep 60 &) ; sleep 60; :"');
    await watch(shell, [`mark 1 ${member.mark}`]);
    await expect.poll(() => markedPids(prefix)).toEqual([]);
  });

  it('waits for a process in the middle of execve(2), which shows its mark late', needs('Linux'), async () => {
    const { pid, mark } = await leader('');
    const place = mkdtempSync(path.join(tmpdir(), 'watchdog-'));
    folders.push(place);
    // In place of /proc: as long as it starts, a process has a program, and neither words nor environment.
    for (const folder of ['self', `${pid}`]) mkdirSync(path.join(place, folder));
    for (const file of ['self/environ', `${pid}/environ`, `${pid}/cmdline`, `${pid}/exe`])
      writeFileSync(path.join(place, file), '');
    // The program has started when the watchdog rests for the fifth time.
    mkdirSync(path.join(place, 'bin'));
    const its = `${place}/${pid}`;
    const started = `printf 'PODRUN_CONTAINER_ID=${mark}\\0' >${its}/environ; echo sleep >${its}/cmdline`;
    const rest = `#!/bin/sh\necho >>${place}/rests\n[ "$(wc -l <${place}/rests)" -lt 5 ] || { ${started}; }\n`;
    writeFileSync(path.join(place, 'bin/sleep'), rest, { mode: 0o755 });
    const script = WATCHDOG_SCRIPT.replaceAll('/proc', place);
    await watch(shell, [`mark 1 ${mark}`], { PATH: `${place}/bin:${process.env['PATH']}` }, script);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('kills only containers whose mark it has got', needs('Linux'), async () => {
    const [mine, other] = await Promise.all([leader(''), leader('')]);
    await watch(shell, [`mark 1 ${mine.mark}`]);
    await expect.poll(() => isRunning(mine.pid)).toBe(false);
    expect(isRunning(other.pid)).toBe(true);
  });
});

const HOLDING = SHELLS.filter(([shell]) => shell !== '/bin/sh' && shell !== '/bin/zsh');

describe.each(HOLDING)('what podrun has not read when it dies, in %s', needs('Linux'), (...shell) => {
  /** Two FIFOs that podrun has open, and a log, in a folder like that of a Pod, with a blank in its name. */
  function pipes(): { folder: string; log: string; lines: string[]; podruns: number[]; paths: string[] } {
    const folder = mkdtempSync(path.join(tmpdir(), 'podrun watchdog-'));
    folders.push(folder);
    const paths = ['1', '2'].map((name) => path.join(folder, name));
    execFileSync('mkfifo', paths);
    const log = path.join(folder, 'logs', 'main', '0.log');
    const lines = [`log 10 ${log}`, `out 10 ${paths[0]}`, `err 11 ${paths[1]}`, 'runs 10'];
    // podrun does this when all that it has read is in the log.
    for (const fifo of paths) utimesSync(fifo, 0, 0);
    return { folder, log, lines, podruns: paths.map((fifo) => openSync(fifo, 'r+')), paths };
  }
  /** Starts a container that writes to the FIFOs. After its output, podrun dies. */
  async function die(place: ReturnType<typeof pipes>, script: string, more: readonly string[] = []): Promise<void> {
    const [stdout = '', stderr = ''] = place.paths;
    const watchdog = spawn(shell[0] ?? '', [...shell.slice(1), '-c', WATCHDOG_SCRIPT], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    watchdog.stdin.write([...place.lines, ''].join('\n'));
    await expect.poll(() => held(watchdog.pid, place.paths), PATIENT).toBe(true);
    const member = await leader(`{ ${script}\n} >'${stdout}' 2>'${stderr}'`);
    for (const descriptor of place.podruns) closeSync(descriptor);
    watchdog.stdin.end([`add ${member.group}`, ...more, ''].join('\n'));
    await once(watchdog, 'close');
    await expect.poll(() => isRunning(member.pid)).toBe(false);
  }
  const recordsIn = (log: string): (string | undefined)[] =>
    readFileSync(log, 'latin1')
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const record = parseRecord(line);
        if (record === undefined) return undefined;
        expect(record.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
        return `${record.stream} ${record.isEnd ? 'F' : 'P'} ${record.content}`;
      });

  it('is in the log, from the first byte to the last', async () => {
    const place = pipes();
    await die(place, `printf 'one\\n\\n & two\\nhalf'; echo oops >&2`);
    expect(recordsIn(place.log)).toEqual([
      'stdout F one',
      'stdout F ',
      'stdout F  & two',
      'stdout P half',
      'stderr F oops',
    ]);
    expect(statSync(place.log).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.folder)).toEqual(['logs']);
  });

  it('follows what exists already, also when that was torn', async () => {
    const place = pipes();
    mkdirSync(path.dirname(place.log), { recursive: true });
    writeFileSync(place.log, '2026-01-01T00:00:00.000000000Z stdout F first\n2026-01-01T00:0');
    await die(place, 'echo second');
    expect(recordsIn(place.log)).toEqual(['stdout F first', 'stdout F second']);
  });

  it('is left out of the log when it follows a piece that podrun had read and not written', async () => {
    const place = pipes();
    const [stdout = ''] = place.paths;
    writeFileSync(stdout, 'lost\n');
    readSync(place.podruns[0] ?? 0, Buffer.alloc('lost\n'.length));
    await die(place, 'echo behind it; echo other >&2');
    expect(recordsIn(place.log)).toEqual(['stderr F other']);
  });

  it('is without the words of what was to start the program, as long as podrun has not seen it run', async () => {
    const script = `echo out; printf '%s\\n' 'nsenter: cannot open /proc/1/ns/ipc' mine 'my setpriv: oh' >&2`;
    const [seen, unseen, again] = [pipes(), pipes(), pipes()];
    await die(seen, script);
    await die({ ...unseen, lines: unseen.lines.slice(0, -1) }, script);
    // Another container had this number before.
    await die({ ...again, lines: [...seen.lines, 'free 10', ...again.lines.slice(0, -1)] }, script);
    const own = ['stderr F mine', 'stderr F my setpriv: oh'];
    expect(recordsIn(seen.log)).toEqual(['stdout F out', 'stderr F nsenter: cannot open /proc/1/ns/ipc', ...own]);
    for (const { log } of [unseen, again]) expect(recordsIn(log)).toEqual(['stdout F out', ...own]);
  });

  it('is as much as a pipe holds, whatever bytes these are', async () => {
    const place = pipes();
    await die(place, `head -c 65536 /dev/zero | tr '\\0' '\\377'`);
    const [record = ''] = recordsIn(place.log);
    expect(record.length).toBe('stdout P '.length + 65_536);
    expect(new Set(record.slice('stdout P '.length))).toEqual(new Set(['\xff']));
  });

  it('belongs to no log when it was read, when there is nothing, or when the Pod is gone', async () => {
    const [read, nothing, gone] = [pipes(), pipes(), pipes()];
    await die(read, 'echo read', ['free 10']);
    await die(nothing, ':');
    await die({ ...gone, lines: gone.lines.with(0, `log 10 ${gone.folder}/gone/logs/main/0.log`) }, 'echo gone');
    expect([read, nothing].map(({ log }) => existsSync(log))).toEqual([false, false]);
    expect(readdirSync(gone.folder)).toEqual([]);
  });
});

/** True when the process has opened all files. */
function held(pid: number | undefined, files: readonly string[]): boolean {
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  const open = new Set(links);
  return files.every((file) => open.has(file));
}

it('ignores the signals that end everything else of a session', async () => {
  const script = WATCHDOG_SCRIPT.replace(/^trap .*$/m, '$&\necho trapped');
  const watchdog = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(watchdog.stdout, 'data');
  const member = await leader('');
  await new Promise((resolve) => {
    watchdog.stdin.write(`add ${member.group}\n`, resolve);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) watchdog.kill(signal);
  expect(isRunning(watchdog.pid ?? 0)).toBe(true);
  watchdog.stdin.end();
  await once(watchdog, 'close');
  await expect.poll(() => isRunning(member.pid)).toBe(false);
});
