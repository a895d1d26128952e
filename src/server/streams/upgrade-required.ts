import { type ApiAnswer, badRequestStatus } from '../../apiserver/index.ts';

/**
 * Refuses a request without the header Upgrade.
 * @throws {StatusError} always
 */
export function upgradeRequired(): ApiAnswer {
  throw badRequestStatus('Upgrade request required');
}
