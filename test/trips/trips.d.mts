/** The code that podrun enters on a trip. */
export interface Trip {
  readonly name: string;
  readonly title: string;
  /** The number of files. */
  readonly files: number;
  /** How many times a function of another file was entered. */
  readonly steps: number;
  /** How many functions were entered. */
  readonly calls: number;
  /** The number of calls of each file. */
  readonly callsOf: Readonly<Record<string, number>>;
}

export function measureTrips(): Promise<readonly Trip[]>;
