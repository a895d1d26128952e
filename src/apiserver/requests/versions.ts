import { sleep } from '../../clock.ts';
import { invalid } from '../../manifest/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest } from '../base/request.ts';
import { badRequestStatus, StatusError } from '../base/status-error.ts';

/** The time that a read waits for a version that does not exist yet. Source: cacher/watch_cache.go blockTimeout. */
const WAIT_MS = 3000;

/**
 * The resource version that a request names. Undefined: none, or 0, which any state fulfils.
 * @throws {StatusError} 400 for text that is no version
 */
export function versionAsked({ query }: ApiRequest): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '' || text === '0') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequestStatus(`invalid resource version: ${invalid('resourceVersion', text, parseProblem(text)).detail}`);
}

/** The words of Go about a text that is no number. */
function parseProblem(text: string): string {
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
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
    message: `Timeout: ${what}: ${version}, current: ${objects.version}`,
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: what }], retryAfterSeconds: 1 },
  });
}
