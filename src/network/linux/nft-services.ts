import { emptyTable, type RulesByChain, serviceTransactions } from '../nft/service-rules.ts';
import type { ServiceListener } from '../base/service-listener.ts';
import type { NetworkJoin } from '../../runtime/index.ts';
import { Nft } from './nft.ts';

/**
 * Serves Services in the network of a run by rules of nftables. Agents that share a network have a table each. The
 * rules go with the network.
 */
export class NftServices {
  readonly #nft: Nft;
  /** The family and the name of the table. */
  readonly #table: string;
  /** Undefined: the table does not exist yet. */
  #rules: RulesByChain | undefined;
  #updated: Promise<void> = Promise.resolve();

  /** @param owner the agent, for the name of its table */
  constructor(nft: string, join: NetworkJoin, owner: string) {
    this.#nft = new Nft(nft, join);
    this.#table = `ip podrun_${owner.replaceAll(/\W/g, '_')}`;
  }

  /**
   * Replaces the rules by rules for these listeners. One update after the other.
   * @throws {Error} with the messages of nft
   */
  update(listeners: readonly ServiceListener[]): Promise<void> {
    const updated = this.#updated.then(() => this.#update(listeners));
    this.#updated = updated.catch(() => undefined);
    return updated;
  }

  /** Removes the rules of a former process of the agent, if there are any. @throws {Error} with the messages of nft */
  removeFormer(): Promise<void> {
    return this.#nft.send(`add table ${this.#table}\ndelete table ${this.#table}\n`);
  }

  /** Removes the rules: other agents may continue in the network. Where it is gone, they are gone as well. */
  async close(): Promise<void> {
    await this.#updated;
    if (this.#rules !== undefined) await this.#nft.send(`delete table ${this.#table}\n`).catch(() => undefined);
  }

  async #update(listeners: readonly ServiceListener[]): Promise<void> {
    if (this.#rules === undefined) await this.#nft.send(emptyTable(this.#table));
    this.#rules ??= new Map();
    const { transactions, rules } = serviceTransactions(listeners, this.#rules, this.#table);
    for (const transaction of transactions) await this.#nft.send(transaction);
    this.#rules = rules;
  }
}
