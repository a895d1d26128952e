import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { succeeds } from '../quietly.ts';
import { fileTrouble, isDiskTrouble } from '../runtime/errno.ts';
import { errorText, EXIT, PodrunError } from '../api/errors.ts';
import { version } from '../version.ts';
import type { Output } from './output/output.ts';

/** Prints an error for the user, and answers the exit code. The stack trace of a defect of podrun goes into a file. */
export function reportError(stderr: Output, error: unknown): number {
  if (error instanceof PodrunError) {
    stderr.write(errorText(error));
    return error.exitCode;
  }
  // Node reads the working folder for each relative path.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    stderr.write('error: the working folder is gone, or this user may not read it: change to another one\n');
    return EXIT.failed;
  }
  // Any write may meet a full disk: of the store of images, of a copy for an editor, of temporary files.
  if (isDiskTrouble(error)) {
    stderr.write(
      `error: ${fileTrouble(error)}\nMake room there, or choose another place with TMPDIR, PODRUN_STATE_DIR or PODRUN_IMAGE_DIR.\n`,
    );
    return EXIT.failed;
  }
  stderr.write(`error: podrun has a defect: ${error instanceof Error ? error.message : String(error)}\n`);
  const file = keepTrace(error);
  if (file !== undefined) stderr.write(`Please report it, with what is in ${file}.\n`);
  return EXIT.failed;
}

/** Writes the stack trace to a file. Answers its path; undefined when the file cannot be written. */
function keepTrace(error: unknown): string | undefined {
  const file = path.join(tmpdir(), `podrun-defect-${process.pid}.txt`);
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = `podrun ${version}, Node ${process.version}, ${process.platform} ${process.arch}\n${trace}\n`;
  return succeeds(() => writeFileSync(file, text, { mode: 0o600, flag: 'wx' })) ? file : undefined;
}

/** Prints several errors as kubectl does, one a line without a prefix, and answers the exit code. */
export function reportErrors(stderr: Output, errors: readonly PodrunError[]): number {
  const [only] = errors;
  if (only === undefined) return EXIT.ok;
  if (errors.length === 1) return reportError(stderr, only);
  for (const { message } of errors) stderr.write(`${message}\n`);
  return Math.max(...errors.map(({ exitCode }) => exitCode));
}
