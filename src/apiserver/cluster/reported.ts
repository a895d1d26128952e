import { existsSync } from 'node:fs';
import { hasCode, PodrunError } from '../../api/index.ts';
import type { Store } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';

const CHANGED_MEANWHILE = ['AlreadyExists', 'Conflict', 'NotFound'] as const;

/**
 * Runs a write that the server makes by itself after a change. Its object may have been made, changed or deleted
 * meanwhile, and the change that says so brings the next look. Another error of the store is reported: no caller waits
 * for it. A state folder that was removed with all its objects stays away.
 */
export function reported(
  { store, report }: Pick<ServerContext, 'report'> & { readonly store: Pick<Store, 'root'> },
  what: string,
  write: () => void,
): void {
  if (store.root !== undefined && !existsSync(store.root)) return;
  try {
    write();
  } catch (error) {
    if (CHANGED_MEANWHILE.some((code) => hasCode(error, code))) return;
    if (!(error instanceof PodrunError)) throw error;
    report(`${what}: ${error.message}`);
  }
}
