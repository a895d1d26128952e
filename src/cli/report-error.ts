import { EXIT, PodrunError } from '../api/errors.ts';

/** Prints an error the way people should see it, and answers the exit code. A defect of podrun keeps its stack. */
export function reportError(error: unknown): number {
  if (error instanceof PodrunError) {
    const isPrefixed = /^(error|Error from server|The \w+ |the server doesn't )/.test(error.message);
    process.stderr.write(`${isPrefixed ? '' : 'error: '}${error.message}\n`);
    if (error.hint !== undefined) process.stderr.write(`${error.hint}\n`);
    return error.exitCode;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`podrun has a defect, please report it:\n${detail}\n`);
  return EXIT.failed;
}

/** Prints several errors as kubectl does, a line each and without a word in front, and answers the exit code. */
export function reportErrors(errors: readonly PodrunError[]): number {
  const [only] = errors;
  if (only === undefined) return EXIT.ok;
  if (errors.length === 1) return reportError(only);
  for (const { message } of errors) process.stderr.write(`${message.replace(/^error: /, '')}\n`);
  return Math.max(...errors.map(({ exitCode }) => exitCode));
}
