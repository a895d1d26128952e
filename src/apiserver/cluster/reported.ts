import { hasCode, PodrunError } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';

const CHANGED_MEANWHILE = ['AlreadyExists', 'Conflict', 'NotFound'] as const;

/**
 * Runs a write that the server makes by itself after a change. Its object may have been made, changed or deleted
 * meanwhile, and the change that says so brings the next look. Another error of the store is reported: no caller waits
 * for it.
 */
export function reported({ report }: Pick<ServerContext, 'report'>, what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (CHANGED_MEANWHILE.some((code) => hasCode(error, code))) return;
    if (!(error instanceof PodrunError)) throw error;
    report(`${what}: ${error.message}`);
  }
}
