import { joinPrefix, type NetworkJoin, runHelper } from '../../runtime/index.ts';

/** Runs nft in a network, one transaction after the other. */
export class Nft {
  readonly #program: string;
  readonly #join: NetworkJoin;
  /** The lines that wait for the transaction that runs, and their outcome. Undefined: none wait. */
  #waiting: { readonly lines: string[]; readonly sent: Promise<void> } | undefined;
  #last: Promise<void> = Promise.resolve();

  /** @param program the path of nft */
  constructor(program: string, join: NetworkJoin) {
    this.#program = program;
    this.#join = join;
  }

  /**
   * Sends one transaction (5 to 20 ms): all of it holds, or nothing.
   * @throws {Error} with the messages of nft
   */
  send(text: string): Promise<void> {
    this.#waiting = undefined;
    return this.#append(() => text);
  }

  /**
   * Sends lines in one transaction with all that wait for their turn: many Pods that begin at once need few.
   * @throws {Error} with the messages of nft
   */
  sendTogether(lines: readonly string[]): Promise<void> {
    if (this.#waiting === undefined) {
      const waiting: string[] = [];
      const take = (): string => {
        if (this.#waiting?.lines === waiting) this.#waiting = undefined;
        return waiting.join('\n');
      };
      this.#waiting = { lines: waiting, sent: this.#append(take) };
    }
    this.#waiting.lines.push(...lines);
    return this.#waiting.sent;
  }

  /** The output of a command: `list tables`. @throws {Error} with the messages of nft */
  async ask(...words: readonly string[]): Promise<string> {
    const [program, ...args] = joinPrefix(this.#join);
    const outcome = await runHelper({ program, args: [...args, this.#program, ...words], env: {} });
    if (!outcome.ok) throw new Error(outcome.why);
    return outcome.stdout;
  }

  #append(text: () => string): Promise<void> {
    const sent = this.#last.then(() => this.#run(text()));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async #run(text: string): Promise<void> {
    const [program, ...args] = joinPrefix(this.#join);
    const input = text.endsWith('\n') ? text : `${text}\n`;
    const outcome = await runHelper({ program, args: [...args, this.#program, '-f', '-'], env: {}, input });
    if (!outcome.ok) throw new Error(outcome.why);
  }
}
