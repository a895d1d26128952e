import type { PolicyGroup } from '../../controllers/index.ts';
import type { NetworkJoin } from '../../runtime/index.ts';
import { emptyPolicyTable, policyTransactions, refusalsOf } from '../nft/policy-rules.ts';
import { EMPTY_TABLE, type PolicyTable } from '../nft/policy-table.ts';
import { Nft } from './nft.ts';
import { NODE_RANGE } from './cluster-commands.ts';
import { HOST_ADDRESS } from './way-out-commands.ts';

/** Connections that rules have refused, between two addresses. */
export interface Refusal {
  /** The side whose policies refuse them. */
  readonly direction: PolicyGroup['direction'];
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
  /** The number of them, since the table was made. */
  readonly count: number;
}

/** The numbers of protocols, as an nft without their names has them. */
const PROTOCOLS: Readonly<Record<string, string>> = { 6: 'TCP', 17: 'UDP', 132: 'SCTP' };

/**
 * Enforces compiled NetworkPolicies in the network of a run. Each agent has a table for its own Pods: one of them
 * judges what its Pods send, another one what its Pods receive, and both must permit it. The rules stay when the agent
 * is killed. Its next process makes another table, and removes the former one when that is complete.
 */
export class NftPolicies {
  readonly #nft: Nft;
  readonly #prefix: string;
  /** Undefined: there is none yet, or a transaction has failed, which leaves it in an unknown state. */
  #table: { readonly name: string; readonly rules: PolicyTable } | undefined;
  #number = 0;
  #updated: Promise<unknown> = Promise.resolve();

  /** @param owner the agent, for the names of its tables */
  constructor(nft: string, join: NetworkJoin, owner: string) {
    this.#nft = new Nft(nft, join);
    this.#prefix = `podrun_policy_${owner.replaceAll(/\W/g, '_')}_`;
  }

  /**
   * Replaces the rules by rules for these groups. One update after the other. Until it is complete, the present rules
   * hold as well.
   * @throws {Error} with the messages of nft; the present rules stay
   */
  update(groups: readonly PolicyGroup[]): Promise<void> {
    return this.#inTurn(() => this.#update(groups));
  }

  /** The connections that were refused. @throws {Error} with the messages of nft */
  refusals(): Promise<Refusal[]> {
    return this.#inTurn(() => this.#refusals());
  }

  /** Removes the rules: other agents may continue in the network. Where it is gone, they are gone as well. */
  async close(): Promise<void> {
    await this.#updated;
    const { name } = this.#table ?? {};
    this.#table = undefined;
    if (name !== undefined) await this.#nft.send(`delete table ${name}`).catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#updated.then(work);
    this.#updated = done.catch(() => undefined);
    return done;
  }

  async #update(groups: readonly PolicyGroup[]): Promise<void> {
    const present = this.#table;
    if (present === undefined) return this.#begin(groups);
    const { transactions, after } = policyTransactions(groups, present.rules, present.name);
    this.#table = undefined;
    for (const transaction of transactions) await this.#nft.send(transaction);
    this.#table = { ...present, rules: after };
  }

  /** Makes a new table. Then the former ones of this agent go. */
  async #begin(groups: readonly PolicyGroup[]): Promise<void> {
    const former = await this.#tables();
    if (former.length === 0 && groups.length === 0) return;
    const numbers = former.map((name) => Number(name.slice(this.#prefix.length)));
    this.#number = Math.max(this.#number, ...numbers) + 1;
    const name = `inet ${this.#prefix}${this.#number}`;
    const { transactions, after } = policyTransactions(groups, EMPTY_TABLE, name);
    await this.#nft.send(emptyPolicyTable(name, NODE_RANGE, Object.values(HOST_ADDRESS)));
    for (const transaction of transactions) await this.#nft.send(transaction);
    for (const each of former) await this.#nft.send(`delete table inet ${each}`);
    this.#table = { name, rules: after };
  }

  async #tables(): Promise<string[]> {
    const text = await this.#nft.ask('list', 'tables', 'inet');
    const names = text.split('\n').map((line) => line.trim().split(' ').at(-1) ?? '');
    return names.filter((name) => name.startsWith(this.#prefix));
  }

  async #refusals(): Promise<Refusal[]> {
    if (this.#table === undefined) return [];
    const [family = '', name = ''] = this.#table.name.split(' ');
    const all: Refusal[] = [];
    for (const direction of ['ingress', 'egress'] as const) {
      const text = await this.#nft.ask('-n', 'list', 'set', family, name, refusalsOf(direction));
      all.push(...readRefusals(text, direction));
    }
    return all;
  }
}

const REFUSAL = /^([\d.]+) \. ([\d.]+) \. (\w+) \. (\d+) counter packets (\d+) /;

function readRefusals(text: string, direction: Refusal['direction']): Refusal[] {
  const elements = text.slice(text.indexOf('elements = {') + 'elements = {'.length).split(',');
  return elements.flatMap((element): Refusal[] => {
    const [, from, to, protocol = '', port, packets] = REFUSAL.exec(element.trim()) ?? [];
    if (from === undefined || to === undefined) return [];
    const name = PROTOCOLS[protocol] ?? protocol.toUpperCase();
    return [{ direction, from, to, protocol: name, port: Number(port), count: Number(packets) }];
  });
}
