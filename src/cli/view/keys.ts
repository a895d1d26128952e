import { type KeyByKey, readKeyByKey } from '../../runtime/own-terminal.ts';

/** Arrows and the like are several characters, of which none is a key of ours. */
const SEQUENCES = new RegExp(String.raw`\u001B(?:\[[\d;]*[^\d;]?|O.|.)?`, 'g');

/** A terminal that is gone; its signal follows. */
const ignoreLoss = (): void => undefined;

/** What is typed at our terminal, key by key, while it is ours. */
export class Keys {
  readonly #onKey: (key: string) => void;
  #terminal: KeyByKey | undefined;
  #isMissing = false;

  constructor(onKey: (key: string) => void) {
    this.#onKey = onKey;
  }

  get isOpen(): boolean {
    return this.#terminal !== undefined;
  }

  /** How the terminal is set while keys are taken. */
  get settings(): KeyByKey['settings'] | undefined {
    return this.#terminal?.settings;
  }

  /** The terminal must be ours: who is in the background would be stopped. */
  open(): void {
    if (this.isOpen || this.#isMissing) return;
    this.#terminal = readKeyByKey();
    this.#isMissing = this.#terminal === undefined;
    if (!this.isOpen) return;
    process.stdin.on('data', this.#take);
    if (process.stdin.listenerCount('error') === 0) process.stdin.on('error', ignoreLoss);
    process.stdin.resume();
  }

  /**
   * What is typed from now on is not ours.
   * @param isOurs the terminal is still ours, and put back as it was: whoever has taken it made it his own
   */
  close({ isOurs }: { readonly isOurs: boolean }): void {
    if (!this.isOpen) return;
    process.stdin.off('data', this.#take);
    process.stdin.pause();
    if (isOurs) this.#terminal?.restore();
    this.#terminal = undefined;
  }

  readonly #take = (typed: Buffer): void => {
    for (const key of typed.toString('latin1').replaceAll(SEQUENCES, '')) this.#onKey(key);
  };
}
