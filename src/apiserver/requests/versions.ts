import { sleep } from '../../clock.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest } from '../base/request.ts';
import { badRequestStatus, plainError, StatusError } from '../base/status-error.ts';

/** The time that a read waits for a version that does not exist yet. Source: cacher/watch_cache.go blockTimeout. */
const WAIT_MS = 3000;

/**
 * The resource version that a request names. Undefined: none, or 0, which any state fulfils.
 * @throws {StatusError} 400 for text that is no version, 500 when the read is of one object
 */
export function versionAsked({ query, name }: ApiRequest): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '' || text === '0') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  const why = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  // A read of one object fails with the error of its store.
  throw name === undefined ? badRequestStatus(`invalid resource version: ${why}`) : plainError(why);
}

/**
 * Waits a moment for the version that a read asks for: it may be on its way.
 * @throws {StatusError} 504 when it does not come
 */
export async function awaitVersion(request: ApiRequest, { objects, clock }: ServerContext): Promise<void> {
  const version = versionAsked(request) ?? 0;
  if (version <= objects.version) return;
  await sleep(clock, WAIT_MS);
  if (version <= objects.version) return;
  const what = 'Too large resource version';
  throw new StatusError({
    code: 504,
    reason: 'Timeout',
    // As sent: the largest versions are no numbers of JavaScript.
    message: `Timeout: ${what}: ${request.query.get('resourceVersion')}, current: ${objects.version}`,
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: what }], retryAfterSeconds: 1 },
  });
}
