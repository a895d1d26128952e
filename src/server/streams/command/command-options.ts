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

/**
 * A flag of a query, as the API server reads it: present is true, but for `false` and `0`.
 * Source: apimachinery/pkg/runtime/conversion.go.
 */
export function isOn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}
