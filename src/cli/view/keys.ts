import { type KeyByKey, readKeyByKey } from '../../runtime/index.ts';

/** Arrow keys and others send several characters: none of them counts as a key. */
const SEQUENCES = new RegExp(String.raw`\u001B(?:\[[\d;]*[^\d;]?|O.|.)?`, 'g');

/** The terminal is gone: SIGHUP follows. */
const ignoreLoss = (): void => undefined;

/** Reads keys from the terminal, while podrun is in the foreground. */
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

  /** The settings of the terminal while podrun reads keys. */
  get settings(): KeyByKey['settings'] | undefined {
    return this.#terminal?.settings;
  }

  /** Starts reading. Only in the foreground: the terminal stops a background process. */
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
   * Stops reading.
   * @param isOurs true when podrun is in the foreground, so that it restores the settings of the terminal: another
   * foreground process has set its own
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
