import { EMPTY_TABLE, type RulesByChain, serviceTransactions } from '../../../network/nft/service-rules.ts';
import type { ServiceListener } from '../../../network/service-listener.ts';
import { runHelper } from '../../helpers/helper.ts';
import { joinPrefix, type NetworkJoin } from './join.ts';

/** Serves Services in the network of a run by rules of nftables. The rules go with the network. */
export class NftServices {
  readonly #nft: string;
  readonly #join: NetworkJoin;
  /** Undefined: the table is not there yet. */
  #rules: RulesByChain | undefined;
  #updated: Promise<void> = Promise.resolve();

  constructor(nft: string, join: NetworkJoin) {
    this.#nft = nft;
    this.#join = join;
  }

  /**
   * Makes the rules those of these listeners. One update after the other.
   * @throws {Error} with the messages of nft
   */
  update(listeners: readonly ServiceListener[]): Promise<void> {
    const updated = this.#updated.then(() => this.#update(listeners));
    this.#updated = updated.catch(() => undefined);
    return updated;
  }

  async #update(listeners: readonly ServiceListener[]): Promise<void> {
    if (this.#rules === undefined) await this.#send(EMPTY_TABLE);
    this.#rules ??= new Map();
    const { transactions, rules } = serviceTransactions(listeners, this.#rules);
    for (const transaction of transactions) await this.#send(transaction);
    this.#rules = rules;
  }

  async #send(text: string): Promise<void> {
    const [program, ...args] = joinPrefix(this.#join);
    const outcome = await runHelper({ program, args: [...args, this.#nft, '-f', '-'], env: {}, input: text });
    if (!outcome.ok) throw new Error(outcome.why);
  }
}
