/** An error while printing. */
export class PrintFailure extends Error {
  override readonly name = 'PrintFailure';
  /** The output up to the error, which is shown. */
  readonly printed: string;

  constructor(message: string, printed = '') {
    super(message);
    this.printed = printed;
  }
}
