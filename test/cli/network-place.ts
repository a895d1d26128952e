import { spawn, spawnSync } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import type { TestContext } from 'vitest';
import { ifThere } from '../live-files.ts';
import { Podrun, type Workshop, workshopFor } from './workshop.ts';

const isRoot = process.getuid?.() === 0;
const SOMEBODY = 1001;
const AS_SOMEBODY = ['setpriv', '--reuid', `${SOMEBODY}`, '--regid', `${SOMEBODY}`, '--clear-groups'];

/** True when a command succeeds. */
export const works = ([file = '', ...args]: readonly string[]): boolean => spawnSync(file, args).status === 0;
const IP = ['ip', 'link', 'set', 'lo', 'up'];
const USERS_NETWORK = ['unshare', '--user', '--map-current-user', '--keep-caps', '--net', ...IP];
const USERS_MOUNTS = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', 'true'];

/** The users that can make private networks on this machine, each with the tiers that work. */
export const CASES: ReadonlyArray<{ readonly who: string; readonly tier: string }> = [
  ...(isRoot && works(['unshare', '--net', ...IP])
    ? [
        { who: 'root', tier: 'process' },
        ...(works(['unshare', '--mount', '--pid', '--fork', 'true']) ? [{ who: 'root', tier: 'namespace' }] : []),
      ]
    : []),
  ...(works([...(isRoot ? AS_SOMEBODY : []), ...USERS_NETWORK])
    ? [
        { who: 'somebody', tier: 'process' },
        ...(works([...(isRoot ? AS_SOMEBODY : []), ...USERS_MOUNTS]) ? [{ who: 'somebody', tier: 'namespace' }] : []),
      ]
    : []),
];

/** A workshop in which a test runs podrun as a certain user. */
export class Place {
  readonly workshop: Workshop;
  readonly #who: string;
  readonly #started: Podrun[] = [];
  readonly #holders: number[] = [];

  constructor(context: TestContext, who: string) {
    this.workshop = workshopFor(context);
    this.#who = who;
    context.onTestFinished(() => this.#clear());
  }

  /** Starts podrun as root or as an ordinary user. */
  start(args: readonly string[]): Podrun {
    const { folder, stateDir } = this.workshop;
    if (this.#who === 'root' || !isRoot) return this.workshop.start(args);
    chownSync(folder, SOMEBODY, SOMEBODY);
    const places = { PODRUN_STATE_DIR: stateDir, HOME: folder, XDG_RUNTIME_DIR: folder };
    return this.spawn([...AS_SOMEBODY, ...this.workshop.commandLine(args)], places);
  }

  spawn([file = '', ...words]: readonly string[], places: Readonly<Record<string, string>>): Podrun {
    const env = { ...process.env, ...places, NO_COLOR: '1', CI: 'true' };
    const podrun = new Podrun(spawn(file, words, { cwd: this.workshop.folder, env }));
    this.#started.push(podrun);
    return podrun;
  }

  /** The process that holds the network namespace of the Pod. */
  holderOf(pod: string): number {
    const records = path.join(this.workshop.stateDir, 'pods', 'default', pod, 'processes.ndjson');
    const lines = readFileSync(records, 'utf8').split('\n');
    const { pid } = JSON.parse(lines.findLast((line) => line.includes('"network"')) ?? '') as { readonly pid: number };
    this.#holders.push(pid);
    return pid;
  }

  /** The process that holds the cluster of the background agents. */
  clusterHolder(): number {
    const record = path.join(this.workshop.stateDir, '.cluster', 'holder.json');
    const { pid } = JSON.parse(readFileSync(record, 'utf8')) as { readonly pid: number };
    this.#holders.push(pid);
    return pid;
  }

  /** The process of the agent that runs the Pod. */
  agentOf(pod: string): number {
    const owner = path.join(this.workshop.stateDir, 'pods', 'default', pod, 'owner.json');
    return (JSON.parse(readFileSync(owner, 'utf8')) as { readonly pid: number }).pid;
  }

  async #clear(): Promise<void> {
    for (const podrun of this.#started) podrun.signal('SIGKILL');
    await Promise.all(this.#started.map(({ ended }) => ended));
    // Holders of background Pods outlive a failed test.
    for (const holder of this.#holders) {
      ifThere(() => process.kill(holder, 'SIGKILL'));
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
