import { hasCode, PodrunError } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';

/**
 * Runs a write that the server makes by itself after a change. Its object may have been deleted or changed meanwhile,
 * and the change that says so brings the next look. Another error of the store is reported: no caller waits for it.
 */
export function reported({ report }: Pick<ServerContext, 'report'>, what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (hasCode(error, 'NotFound') || hasCode(error, 'Conflict')) return;
    if (!(error instanceof PodrunError)) throw error;
    report(`${what}: ${error.message}`);
  }
}
