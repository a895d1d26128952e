import type { IncomingMessage } from 'node:http';
import { type AggregatedVersion, type ApiRequest, type ApiUser, badRequestStatus } from '../../apiserver/index.ts';
import type { AuditedObject } from '../http/audit.ts';
import { verbOf } from '../http/route-request.ts';

/** A request for an object of another API server, as far as permissions and the audit log are concerned. */
export type AggregatedRequest = AuditedObject & Pick<ApiRequest, 'user' | 'query'>;

/** The subresources of a namespace: other words behind its name are resources in it. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * The object that a path below `/apis/GROUP/VERSION` names. Undefined: it names none, and permissions are about the
 * path.
 * Source: apiserver/pkg/endpoints/request/requestinfo.go.
 * @throws {StatusError} 400 for a path with a wrong percent-encoding
 */
export function aggregatedRequest(
  raw: Pick<IncomingMessage, 'method' | 'url'>,
  user: ApiUser,
  { group, version }: Pick<AggregatedVersion, 'group' | 'version'>,
): AggregatedRequest | undefined {
  const [path = '', search] = (raw.url ?? '').split('?', 2);
  const [, , , ...words] = path.split('/').filter((word) => word !== '');
  const [first, inside, third] = words.map(decoded);
  if (first === undefined) return undefined;
  const isInNamespace = first === 'namespaces' && third !== undefined && !OF_NAMESPACES.has(third);
  const [plural = '', name, subresource] = words.slice(isInNamespace ? 2 : 0).map(decoded);
  const query = new URLSearchParams(search);
  return {
    verb: verbOf(raw, { name, subresource, isWatch: false }, query),
    resource: { group, version, plural },
    namespace: first === 'namespaces' ? inside : undefined,
    name,
    subresource,
    user,
    query,
  };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw badRequestStatus('the path has a wrong percent-encoding');
  }
}
