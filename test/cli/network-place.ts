import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'vitest';
import { ifThere } from '../live-files.ts';
import { has, type Need, need } from '../needs.ts';
import { giveToOrdinaryUser, isRoot, podrunAsOrdinaryUser } from '../ordinary-user.ts';
import type { Tier } from './tiers.ts';
import { type Ended, Podrun, type Workshop, workshopFor } from './workshop.ts';

/** The user that runs podrun, and the runtime of the containers. */
export interface Case {
  readonly who: 'root' | 'somebody';
  readonly tier: Tier;
}

/** All users and tiers that can have private networks. A test asks for its own: `placeWithNetwork`. */
export const CASES: readonly Case[] = [
  { who: 'root', tier: 'process' },
  { who: 'root', tier: 'namespace' },
  { who: 'somebody', tier: 'process' },
  { who: 'somebody', tier: 'namespace' },
];

/** Each user and each tier once, where one test of a file has tried all of them. */
export const EACH_ONCE: readonly Case[] = CASES.filter(({ who, tier }) => (who === 'root') === (tier === 'namespace'));

/** True when a command succeeds. */
export const works = ([file = '', ...args]: readonly string[]): boolean => spawnSync(file, args).status === 0;

function needsOf({ who, tier }: Case): Need[] {
  const of = who === 'root' ? '' : ' of an ordinary user';
  return [
    ...(who === 'root' ? (['root'] as const) : []),
    `networks${of}`,
    ...(tier === 'process' ? [] : [`namespaces${of}` as const]),
  ];
}

/** A place for Pods with networks of their own. Skips the test where the user cannot have these. */
export function placeWithNetwork(context: TestContext, one: Case): Place {
  need(context, ...needsOf(one));
  return new Place(context, one.who);
}

/** A place of any user who can have private networks here. */
export function placeWithAnyNetwork(context: TestContext): Place {
  const [first, ...others] = CASES.filter(({ tier }) => tier === 'process');
  return placeWithNetwork(context, others.find((one) => needsOf(one).every(has)) ?? first!);
}

/** A workshop in which a test runs podrun as a certain user. */
export class Place {
  readonly workshop: Workshop;
  readonly #who: Case['who'] | 'own';
  readonly #started: Podrun[] = [];
  readonly #holders: number[] = [];

  /** @param who 'own': whoever runs the tests */
  constructor(context: TestContext, who: Case['who'] | 'own') {
    if (who === 'somebody') need(context, 'an ordinary user');
    this.workshop = workshopFor(context);
    this.#who = who;
    context.onTestFinished(() => this.#clear());
  }

  /** Runs a command of that user to its end: in this process where it is the user of the tests. */
  run(args: readonly string[]): Promise<Ended> {
    return this.#isOfTests ? this.workshop.run(args) : this.start(args).ended;
  }

  /** Starts podrun as root or as an ordinary user. */
  start(args: readonly string[]): Podrun {
    const { folder, stateDir } = this.workshop;
    if (this.#isOfTests) return this.workshop.start(args);
    giveToOrdinaryUser(folder);
    const places = { PODRUN_STATE_DIR: stateDir, HOME: folder, XDG_RUNTIME_DIR: folder };
    return this.spawn(podrunAsOrdinaryUser(args), places);
  }

  get #isOfTests(): boolean {
    return this.#who !== 'somebody' || !isRoot;
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
