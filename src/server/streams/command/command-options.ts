import { isOn } from '../../../apiserver/index.ts';

/** The streams that a request for exec or attach asks for. */
export interface CommandOptions {
  /** Undefined: the only container. */
  readonly container: string | undefined;
  /** Empty for attach. */
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Reads the query of exec and attach. A terminal has no stderr of its own. */
export function readCommandOptions(query: URLSearchParams): CommandOptions {
  const tty = isOn(query, 'tty');
  return {
    container: query.get('container') || undefined,
    command: query.getAll('command'),
    stdin: isOn(query, 'stdin'),
    stdout: isOn(query, 'stdout'),
    stderr: isOn(query, 'stderr') && !tty,
    tty,
  };
}
