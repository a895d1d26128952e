import { once } from 'node:events';
import { execa } from 'execa';
import { guardedProcess, inBackground } from '../../defects.ts';
import {
  errnoText,
  isProcessAlive,
  killGroup,
  type NamespaceFiles,
  type NetworkJoin,
  type ProcessIdentity,
  startable,
  STARTED_APART,
  startTimeOf,
} from '../../runtime/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import { HOLD, networkMark } from './mark.ts';
import { closeFiles, openNamespaces } from './setup.ts';
import { type NetworkTools, SET_SYSCTLS, type Sysctls, sysctlsText } from './tools.ts';

/** A private network, which lives as long as its holder. */
export interface HeldNetwork {
  readonly join: NetworkJoin;
  /** Resolves when the holder has ended. Processes that still run in the network keep it. */
  end(): Promise<void>;
}

export interface HoldRequest {
  /** `root`: with CAP_SYS_ADMIN. `user`: in a user namespace that maps the current user to itself. */
  readonly mode: 'root' | 'user';
  readonly address: string;
  /** The sysctls, by their paths below /proc/sys. */
  readonly sysctls: Sysctls;
  /** The state folder for whose Pods the network outlives podrun. Undefined: the kernel ends it with podrun. */
  readonly heldFor: string | undefined;
}

export type HoldOutcome =
  | { readonly ok: true; readonly network: HeldNetwork }
  /** The error of the program that failed. */
  | { readonly ok: false; readonly error: string };

/*
 * The script of the holder. Only the holder may set up the network: other processes in it have no such right. podrun
 * reads the line `ready`. As in a cluster, any program may listen below 1024.
 */
const SCRIPT = `exec 2>&1
"$IP" -batch - <<END || exit 1
link set lo up
addr add $ADDRESS/32 dev lo
END
low=/proc/sys/net/ipv4/ip_unprivileged_port_start
[ ! -e $low ] || echo 0 >$low
${SET_SYSCTLS}
echo ready
${HOLD}`;

/** Makes a network without connections to the outside, with a localhost and one more address (3 to 10 ms). */
export async function holdNetwork(
  tools: NetworkTools,
  { mode, address, sysctls, heldFor }: HoldRequest,
): Promise<HoldOutcome> {
  const user = mode === 'user' ? ['--user', '--map-current-user', '--keep-caps'] : [];
  const death = heldFor === undefined ? [tools.setpriv, '--pdeathsig', 'KILL'] : [];
  const argv = [...death, tools.unshare, ...user, '--net', tools.sh, '-c', SCRIPT];
  const env = {
    IP: tools.ip,
    SLEEP: tools.sleep,
    SETPRIV: tools.setpriv,
    ADDRESS: address,
    SYSCTLS: sysctlsText(sysctls),
    LC_ALL: 'C',
    ...networkMark(heldFor),
  };
  const child = startHolder(argv, env);
  const output = await startupOutput(child);
  const { pid } = child;
  if (pid === undefined || output !== 'ready') return { ok: false, error: output };
  const isGone = once(child, 'exit').then(() => undefined);
  child.unref();
  return {
    ok: true,
    network: {
      join: { nsenter: tools.nsenter, holderPid: pid, isUsers: mode === 'user' },
      end: () => {
        killGroup(pid);
        // Now podrun waits for the exit.
        child.ref();
        return isGone;
      },
    },
  };
}

/** The network of a former podrun, whose holder still runs. */
export function adoptedNetwork(join: NetworkJoin, clock: Clock): HeldNetwork {
  const { holderPid } = join;
  const files = openNamespaces(holderPid);
  return new LastingNetwork(join, files, async () => {
    closeFiles(files);
    killGroup(holderPid);
    while (startTimeOf(holderPid) !== undefined) {
      await sleep(clock, LOOK_EVERY_MS);
    }
  });
}

/** A network that outlives podrun. When its holder is killed, podrun's own files keep it. */
export class LastingNetwork implements HeldNetwork {
  readonly end: () => Promise<void>;
  readonly #held: NetworkJoin;
  readonly #files: NamespaceFiles;
  readonly #holder: ProcessIdentity;

  constructor(held: NetworkJoin, files: NamespaceFiles, end: () => Promise<void>) {
    this.#held = held;
    this.#files = files;
    this.#holder = { pid: held.holderPid, startTime: startTimeOf(held.holderPid) ?? '' };
    this.end = end;
  }

  /** The way in. That through the holder is valid for the next podrun, too. */
  get join(): NetworkJoin {
    if (isProcessAlive(this.#holder)) return this.#held;
    return { ...this.#held, holderPid: process.pid, files: this.#files };
  }
}

const LOOK_EVERY_MS = 2;

const startHolder = ([file = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) =>
  guardedProcess(execa(startable(file), args, { ...STARTED_APART, env, stdin: 'ignore' }));

/** `ready`, or the whole output of a holder that has ended. */
function startupOutput(child: ReturnType<typeof startHolder>): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (/^ready$/m.test(text)) settle('ready');
      });
    }
    const settle = (output: string): void => {
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(output);
    };
    const lastOutput = (): string => text.trim().replaceAll('\n', '; ') || 'it ended without output';
    inBackground(child.then(({ code }) => settle(code === undefined ? lastOutput() : errnoText(code))));
  });
}
