/** Printing failed on the way. */
export class PrintFailure extends Error {
  override readonly name = 'PrintFailure';
  /** What had been printed by then, and is to be shown. */
  readonly printed: string;

  constructor(message: string, printed = '') {
    super(message);
    this.printed = printed;
  }
}
