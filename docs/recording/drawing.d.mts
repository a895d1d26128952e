/** A row of a terminal: runs of cells that look alike. */
type Row = ReadonlyArray<{ readonly column: number; readonly text: string; readonly look?: object }>;

export interface Recording {
  readonly frames: ReadonlyArray<{ readonly atMs: number; readonly rows: readonly Row[] }>;
  readonly durationMs: number;
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

export function drawing(recording: Recording): string;
