import { isJsonObject } from '../../api/index.ts';
import type { AggregatedVersion } from '../resources/aggregated-table.ts';
import { AGGREGATOR, askBackend, backendHost, type BackendCaller, readBackend } from './backend.ts';
import { discoveredResources } from './discovered-resources.ts';

/** The attempts of one check, at once: one of several endpoints may be broken. Source: kube-aggregator. */
const ATTEMPTS = 5;

/**
 * Asks another API server whether it serves a version, whatever its certificate is. Undefined: it does.
 * Source: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
 */
export async function discoveryError(version: AggregatedVersion, caller: BackendCaller): Promise<string | undefined> {
  const path = pathOf(version);
  const address = `https://${backendHost(version.backend, caller)}${path}`;
  const attempt = async (): Promise<void> => {
    const { code } = await askBackend(version.backend, { path, user: AGGREGATOR, isUnverified: true }, caller);
    if (code < 200 || code >= 300) throw new Error(`bad status from ${address}: ${code}`);
  };
  try {
    await Promise.any(Array.from({ length: ATTEMPTS }, attempt));
    return undefined;
  } catch (error) {
    const [first] = (error as AggregateError).errors as Error[];
    return `failing or missing response from ${address}: ${first?.message}`;
  }
}

/** Asks another API server what it has in a version. A part without an answer is undefined. */
export async function discover(
  version: AggregatedVersion,
  caller: BackendCaller,
): Promise<Pick<AggregatedVersion, 'resources' | 'openapi'>> {
  const read = async (path: string): Promise<unknown> => {
    try {
      return await readBackend(version.backend, { path, user: AGGREGATOR }, caller);
    } catch {
      return undefined;
    }
  };
  const [list, index] = await Promise.all([read(pathOf(version)), read('/openapi/v3')]);
  return { resources: discoveredResources(list), openapi: documentIn(index, version) };
}

function pathOf({ group, version }: Pick<AggregatedVersion, 'group' | 'version'>): string {
  return `/apis/${group}/${version}`;
}

/** The path of the document of a version, in an index of OpenAPI v3. */
function documentIn(
  index: unknown,
  { group, version }: Pick<AggregatedVersion, 'group' | 'version'>,
): string | undefined {
  const paths = isJsonObject(index) ? index['paths'] : undefined;
  const entry = isJsonObject(paths) ? paths[`apis/${group}/${version}`] : undefined;
  const url = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined;
  return typeof url === 'string' && url.startsWith('/openapi/v3/') ? url : undefined;
}
