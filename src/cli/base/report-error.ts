import { defectReport } from '../../defect-file.ts';
import { errorText, EXIT, PodrunError } from '../../api/index.ts';
import { fileTrouble, isDiskTrouble } from '../../runtime/index.ts';
import type { Output } from './output.ts';

/** Prints an error for the user, and returns the exit code. The stack trace of a defect of podrun goes into a file. */
export function reportError(stderr: Output, error: unknown): number {
  stderr.write(textForUser(error) ?? defectReport(error));
  return error instanceof PodrunError ? error.exitCode : EXIT.failed;
}

/** The lines about an error that is no defect of podrun. Undefined for a defect. */
export function textForUser(error: unknown): string | undefined {
  if (error instanceof PodrunError) return errorText(error);
  // Node reads the working folder for each relative path.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return 'error: the working folder is gone, or this user may not read it: change to another one\n';
  }
  // Any write may meet a full disk: of the store of images, of a copy for an editor, of temporary files.
  if (!isDiskTrouble(error)) return undefined;
  const hint = 'Make room there, or choose another place with TMPDIR, PODRUN_STATE_DIR or PODRUN_IMAGE_DIR.';
  return `error: ${fileTrouble(error)}\n${hint}\n`;
}

/** Prints several errors as kubectl does, one a line without a prefix, and returns the exit code. */
export function reportErrors(stderr: Output, errors: readonly PodrunError[]): number {
  const [only] = errors;
  if (only === undefined) return EXIT.ok;
  if (errors.length === 1) return reportError(stderr, only);
  for (const { message } of errors) stderr.write(`${message}\n`);
  return Math.max(...errors.map(({ exitCode }) => exitCode));
}
