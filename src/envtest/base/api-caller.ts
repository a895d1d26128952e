/** A kube-apiserver that has come: a shell script that passes its flags on, and lives as long as its server. */
export interface ApiCaller {
  readonly flags: readonly string[];
  /** Writes a line to the standard error of the script. */
  readonly tell: (line: string) => void;
  /** Ends the script. */
  readonly end: (exitCode: number) => void;
  /** Resolves when the script wants to end, or is gone. */
  readonly gone: Promise<void>;
}
