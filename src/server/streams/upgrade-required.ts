import { badRequestStatus } from '../../apiserver/status-error.ts';
import type { ApiAnswer } from '../../apiserver/answer.ts';

/**
 * Refuses a request without the header Upgrade.
 * @throws {StatusError} always
 */
export function upgradeRequired(): ApiAnswer {
  throw badRequestStatus('Upgrade request required');
}
