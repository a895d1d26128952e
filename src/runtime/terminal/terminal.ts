import { errorMessage } from '../../api/index.ts';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants as system } from 'node:os';
import { ReadStream } from 'node:tty';
import { guarded } from '../../defects.ts';
import { loadNativePart } from '../../build-file.ts';
import { quietly } from '../../quietly.ts';
import type { Clock } from '../../clock.ts';
import { sendSignal } from '../watch/kill.ts';
import { handOver } from '../pipes/process-pipes.ts';
import type { Inside, ProgramCall } from '../base/inside.ts';
import { exitOf, type MainProcess, pipedInput, signalProgram, type TerminalOutcome } from '../start/main-process.ts';
import { readTerminal } from '../pipes/pipe-reader.ts';
import { CONTAINER_MARKER } from '../watch/process-table.ts';
import type { ContainerLaunch, TerminalSize } from '../base/runtime.ts';
import { hasScript, startUnderScript } from './script-terminal.ts';
import { exitCodeOf, spawnLeader, spawnSlot, withContainerUmask } from '../start/spawn.ts';

/**
 * The native part of node-pty, whose exact version is in package.json. The JavaScript part of node-pty loses output:
 * libuv takes a terminal that its program has closed for one that was read to the end.
 */
interface PtyModule {
  fork(...request: ForkRequest): { readonly fd: number; readonly pid: number; readonly pty: string };
  open(columns: number, rows: number): { readonly master: number; readonly slave: number };
  resize(fd: number, columns: number, rows: number): void;
}

type ForkRequest = [
  file: string,
  args: readonly string[],
  env: readonly string[],
  cwd: string,
  columns: number,
  rows: number,
  uid: number,
  gid: number,
  isUtf8: boolean,
  helper: string,
  onExit: (exitCode: number, signal: number) => void,
];

/** The size of a terminal before a client sets it. */
const FIRST_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** The character of Ctrl-D. */
const END_OF_INPUT = Buffer.from([4]);

/** The id that makes `fork` keep the user. */
const OWN_ID = -1;

/**
 * Starts the main process of a container in a terminal of node-pty. Where that package is missing, in one of script(1),
 * whose size is fixed.
 */
export async function startInTerminal(
  launch: ContainerLaunch,
  file: string,
  inside: Inside,
  clock: Clock,
): Promise<TerminalOutcome> {
  const { argv, cwd, id } = launch;
  const native = loadNative();
  const env = { ...launch.env, [CONTAINER_MARKER]: id };
  const request: ProgramCall = { file, argv, cwd, env, hasTerminal: true };
  const leader = native === undefined ? undefined : sessionLeader(request, inside);
  const call = leader ?? inside.enter(request);
  if (native === undefined)
    return startUnderScript({ launch, call, inside, size: FIRST_SIZE, endOfInput: END_OF_INPUT });
  await spawnSlot();
  try {
    const { owner } = inside;
    const started =
      leader === undefined
        ? withContainerUmask(() => fork(native, call, owner))
        : await openForLeader(native.pty, call, owner);
    const { pid, ended } = started;
    const rest = terminalStreams(native.pty, started, launch, clock);
    const programPid = await inside.programOf(pid);
    const signal: MainProcess['signal'] = (number) => signalProgram({ pid, programPid }, number);
    return { ok: true, process: { ...rest, pid, ended, programPid, signal }, notice: undefined };
  } catch (error) {
    return { ok: false, why: `no terminal could be opened: ${errorMessage(error)}` };
  }
}

/**
 * The program as the leader of a session inside its PID namespace. In a session from outside, its shell could not name
 * the foreground process group, and complains about that at its end. Undefined: not needed, or setsid(1) of util-linux
 * is missing.
 */
function sessionLeader(request: ProgramCall, inside: Inside): ProgramCall | undefined {
  if (inside.hasOwnNumbers !== true) return undefined;
  const own = ['/usr/bin/setsid', '/bin/setsid'].find((file) => existsSync(inside.pathOf(file)));
  const setsid = inside.tools?.setsid ?? (own === undefined ? undefined : [own]);
  const [file, ...words] = setsid ?? [];
  if (file === undefined) return undefined;
  return inside.enter({ ...request, file, argv: [file, ...words, '--ctty', ...request.argv] });
}

/** The kind of terminal that containers can have here. Undefined: none. */
export async function terminalKind(): Promise<'pty' | 'script' | undefined> {
  if (loadNative() !== undefined) return 'pty';
  return (await hasScript()) ? 'script' : undefined;
}

interface Native {
  readonly pty: PtyModule;
  /** The program that starts the container's program on macOS. */
  readonly helper: string;
}

let native: Native | undefined;

/** The binary for this platform: a part of the single executable, or of a package that is installed. */
function loadNative(): Native | undefined {
  native ??= quietly(() => {
    const part = loadNativePart('pty.node');
    if (part !== undefined) return { pty: part as PtyModule, helper: '' };
    const platform = `@lydell/node-pty-${process.platform}-${process.arch}`;
    const inside = createRequire(createRequire(import.meta.filename).resolve('@lydell/node-pty'));
    const helper = process.platform === 'darwin' ? inside.resolve(`${platform}/spawn-helper`) : '';
    return { pty: inside(`${platform}/pty.node`) as PtyModule, helper };
  });
  return native;
}

interface TerminalProcess extends Pick<MainProcess, 'pid' | 'ended'> {
  /** The master side of the terminal. */
  readonly fd: number;
  /** The slave side, see `openOwnEnd`. */
  readonly ownEnd: number;
}

function fork({ pty, helper }: Native, { argv, env, cwd }: ProgramCall, owner: Inside['owner']): TerminalProcess {
  const [file, ...args] = argv;
  const { columns, rows } = FIRST_SIZE;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  let onExit: ForkRequest[10] = () => undefined;
  const ended = new Promise<Awaited<MainProcess['ended']>>((resolve) => {
    onExit = (exitCode, number) => {
      const signal = signalNumbered(number);
      resolve({ exitCode: exitCodeOf(signal === undefined ? exitCode : null, signal ?? null), signal });
    };
  });
  const user = [OWN_ID, OWN_ID] as const;
  const forked = pty.fork(file, args, variables, cwd, columns, rows, ...user, false, helper, (...exit) =>
    onExit(...exit),
  );
  const ownEnd = openOwnEnd(forked);
  handOver([ownEnd], owner);
  return { fd: forked.fd, pid: forked.pid, ended, ownEnd };
}

/** Opens a terminal for a program that makes it its controlling terminal: until then it has no session. */
async function openForLeader(pty: PtyModule, call: ProgramCall, owner: Inside['owner']): Promise<TerminalProcess> {
  const { master: fd, slave: ownEnd } = pty.open(FIRST_SIZE.columns, FIRST_SIZE.rows);
  handOver([ownEnd], owner);
  const spawned = await spawnLeader({ ...call, stdio: [ownEnd, ownEnd, ownEnd] });
  if (!spawned.ok) {
    closeSync(fd);
    closeSync(ownEnd);
    throw new Error(spawned.errno);
  }
  return { fd, pid: spawned.pid, ended: exitOf(spawned.child), ownEnd };
}

function terminalStreams(
  pty: PtyModule,
  { fd, ownEnd }: TerminalProcess,
  { onOutput }: ContainerLaunch,
  clock: Clock,
): Pick<MainProcess, 'finishOutput' | 'streams'> {
  const master = guarded(new ReadStream(fd), { ends: false });
  const reader = readTerminal(master, fd, clock, (chunk) => onOutput('stdout', chunk));
  return {
    finishOutput: async () => {
      await reader.finish();
      closeSync(ownEnd);
    },
    streams: {
      input: pipedInput(master, END_OF_INPUT),
      terminal: {
        resize: (size) => {
          // Another file may have the number of a closed descriptor.
          if (!master.destroyed) pty.resize(fd, size.columns, size.rows);
        },
      },
      holdOutput: (held) => reader.hold(held),
    },
  };
}

/**
 * Opens the slave side in podrun, too: the terminal is never without a writer until all of it is passed on, so it does
 * not look like one that was read to the end.
 */
function openOwnEnd({ fd, pid, pty }: ReturnType<PtyModule['fork']>): number {
  try {
    return openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
  } catch (error) {
    // Probably out of descriptors: this process must not run beside its replacement.
    sendSignal(pid, 'SIGKILL');
    closeSync(fd);
    throw error;
  }
}

function signalNumbered(number: number): NodeJS.Signals | undefined {
  const entry = Object.entries(system.signals).find(([, value]) => value === number);
  return entry?.[0] as NodeJS.Signals | undefined;
}
