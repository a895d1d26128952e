/** The failure of a template amid its output, which is shown. `writePrinted` makes a PodrunError of it. */
export class PrintFailure extends Error {
  override readonly name = 'PrintFailure';
  /** The output up to the failure. */
  readonly printed: string;

  constructor(message: string, printed: string) {
    super(message);
    this.printed = printed;
  }
}
