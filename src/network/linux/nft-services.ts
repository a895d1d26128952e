import { emptyTable, type RulesByChain, serviceTransactions } from '../nft/service-rules.ts';
import type { ServiceListener } from '../base/service-listener.ts';
import { joinPrefix, type NetworkJoin, runHelper } from '../../runtime/index.ts';

/**
 * Serves Services in the network of a run by rules of nftables. Agents that share a network have a table each. The
 * rules go with the network.
 */
export class NftServices {
  readonly #nft: string;
  readonly #join: NetworkJoin;
  /** Its family and name. */
  readonly #table: string;
  /** Undefined: the table is not there yet. */
  #rules: RulesByChain | undefined;
  #updated: Promise<void> = Promise.resolve();

  /** @param owner the agent, for the name of its table */
  constructor(nft: string, join: NetworkJoin, owner: string) {
    this.#nft = nft;
    this.#join = join;
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

  /** Removes the rules: other agents may continue in the network. Where it is gone, they are gone as well. */
  async close(): Promise<void> {
    await this.#updated;
    if (this.#rules !== undefined) await this.#send(`delete table ${this.#table}\n`).catch(() => undefined);
  }

  async #update(listeners: readonly ServiceListener[]): Promise<void> {
    if (this.#rules === undefined) await this.#send(emptyTable(this.#table));
    this.#rules ??= new Map();
    const { transactions, rules } = serviceTransactions(listeners, this.#rules, this.#table);
    for (const transaction of transactions) await this.#send(transaction);
    this.#rules = rules;
  }

  async #send(text: string): Promise<void> {
    const [program, ...args] = joinPrefix(this.#join);
    const outcome = await runHelper({ program, args: [...args, this.#nft, '-f', '-'], env: {}, input: text });
    if (!outcome.ok) throw new Error(outcome.why);
  }
}
