import { badRequestStatus } from '../../apiserver/base/status-error.ts';
import type { ApiAnswer } from '../../apiserver/base/answer.ts';

/**
 * Refuses a request without the header Upgrade.
 * @throws {StatusError} always
 */
export function upgradeRequired(): ApiAnswer {
  throw badRequestStatus('Upgrade request required');
}
