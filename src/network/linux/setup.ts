import { closeSync, openSync, readlinkSync } from 'node:fs';
import { execa } from 'execa';
import { guardedProcess } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import {
  errnoText,
  killGroup,
  type NamespaceFiles,
  namespacePath,
  type NetworkJoin,
  startable,
  STARTED_APART,
} from '../../runtime/index.ts';
import type { SetupCommand } from './cluster-commands.ts';

/** A new network that is not set up yet. */
export interface NewNetwork {
  /** The process that sets it up. */
  readonly pid: number;
  /** podrun's open files of its namespaces: as long as one is open, the network stays. */
  readonly files: NamespaceFiles;
  /** The number of the network namespace. */
  readonly inode: string;
}

/** A network that is ready to use. */
export interface MadeNetwork extends NewNetwork {
  /** Ends the process that holds the network, if there is one, and closes the files. */
  end(): Promise<void>;
}

/** The steps of the caller while a network is made. */
export interface SetupSteps {
  /** Called when the network exists, before the command sets it up. */
  readonly connect?: (network: NewNetwork) => Promise<void>;
  /**
   * Called when the network is ready, to record the process that is to hold it after the end of podrun. Returns false
   * when it shall not. Undefined: only podrun's files hold the network.
   */
  readonly hold?: ((network: NewNetwork) => boolean) | undefined;
}

/**
 * Makes a network with a command of `cluster-commands.ts`.
 * @throws {Error} with the messages of the programs
 */
export async function makeNetwork(command: SetupCommand, { connect, hold }: SetupSteps): Promise<MadeNetwork> {
  const child = startSetup(command);
  const talk = new Talk(child);
  let files: NamespaceFiles | undefined;
  try {
    await talk.until('ready');
    const { pid = 0 } = child;
    files = openNamespaces(pid);
    const network = { pid, files, inode: ownInode(files) };
    await connect?.(network);
    child.stdin.write('go\n');
    await talk.until('done');
    const isGone = talk.ended;
    talk.close();
    // A killed podrun ends the process up to here: it is on record before it outlives podrun.
    const holds = hold?.(network) === true;
    child.stdin.end(holds ? 'hold\n' : undefined);
    child.unref();
    const exited = (): Promise<void> => {
      // Now podrun waits for the exit.
      child.ref();
      return isGone;
    };
    return { ...network, end: () => endNetwork(network, holds, exited) };
  } catch (error) {
    if (files !== undefined) closeFiles(files);
    if (child.pid !== undefined) killGroup(child.pid);
    talk.close();
    throw error;
  }
}

async function endNetwork({ pid, files }: NewNetwork, holds: boolean, exited: () => Promise<void>): Promise<void> {
  closeFiles(files);
  if (!holds) return;
  killGroup(pid);
  await exited();
}

const startSetup = ({ argv: [file = '', ...args], env }: SetupCommand) =>
  guardedProcess(execa(startable(file), args, { ...STARTED_APART, env, stdin: 'pipe' }));

/** Opens the namespaces of a process, or takes the files of namespaces that it has open. */
export function openNamespaces(pid: number, files?: NamespaceFiles): NamespaceFiles {
  const folder = `/proc/${pid}/${files === undefined ? 'ns' : 'fd'}`;
  const net = openSync(`${folder}/${files?.net ?? 'net'}`, 'r');
  try {
    return { net, user: openSync(`${folder}/${files?.user ?? 'user'}`, 'r') };
  } catch (error) {
    closeSync(net);
    throw error;
  }
}

export function closeFiles({ net, user }: NamespaceFiles): void {
  for (const file of [net, user]) quietly(() => closeSync(file));
}

/**
 * The number of a network namespace that is not podrun's own. Settings written into podrun's own would change this
 * machine.
 * @throws {Error} for podrun's own
 */
function ownInode({ net }: NamespaceFiles): string {
  const name = readlinkSync(`/proc/self/fd/${net}`);
  if (name === readlinkSync('/proc/self/ns/net')) throw new Error('unshare made no network namespace');
  return /\d+/.exec(name)?.[0] ?? '';
}

/** The number of the network namespace that a way leads into. @throws {Error} when that has ended */
export function inodeOf(network: NetworkJoin): string {
  return /\d+/.exec(readlinkSync(namespacePath(network, 'net')))?.[0] ?? '';
}

/** The output of a setup command, which writes a word on a line of its own after each stage: `ready`, `done`. */
class Talk {
  readonly #child: ReturnType<typeof startSetup>;
  #text = '';
  #hasEnded = false;
  /** Resolves when the command has ended. */
  readonly ended: Promise<void>;
  #look = (): void => undefined;

  constructor(child: ReturnType<typeof startSetup>) {
    this.#child = child;
    // The command may end before it reads.
    child.stdin.on('error', () => undefined);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        this.#text += piece;
        this.#look();
      });
    }
    this.ended = child.then(({ code }) => {
      this.#hasEnded = true;
      if (code !== undefined) this.#text = errnoText(code);
      this.#look();
    });
  }

  /** Rejects when the command ends without the word. */
  until(word: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        if (this.#text.split('\n').includes(word)) resolve();
        else if (this.#hasEnded) reject(new Error(this.#lastWords));
      };
      this.#look();
    });
  }

  get #lastWords(): string {
    const lines = this.#text.split('\n').filter((line) => line !== '' && line !== 'ready');
    return lines.join('; ') || 'it ended without output';
  }

  close(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}
