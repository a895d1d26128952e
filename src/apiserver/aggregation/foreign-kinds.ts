import type { SchemaProps } from '../custom/base/schema.ts';
import type { AggregatedVersion } from '../resources/aggregated-table.ts';
import { AGGREGATOR, type BackendCaller, readBackend } from './backend.ts';
import { publishedSchema } from './published-schema.ts';

/** A kind of another API server. */
export interface ForeignKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly server: AggregatedVersion;
}

/** The kinds of other API servers that say what they have. */
export function foreignKinds(servers: readonly AggregatedVersion[]): readonly ForeignKind[] {
  return servers.flatMap((server) => {
    const { group, version, resources = [] } = server;
    return resources.map(({ resource, singularResource, responseKind }) => ({
      group: responseKind.group || group,
      version: responseKind.version || version,
      plural: resource,
      singular: singularResource,
      kind: responseKind.kind,
      server,
    }));
  });
}

/** Asks the API servers of kinds for their schemas, each once. A kind without one is left out. */
export async function withSchemas(
  kinds: readonly ForeignKind[],
  caller: BackendCaller,
): Promise<readonly (ForeignKind & { readonly published: SchemaProps })[]> {
  const servers = [...new Set(kinds.map(({ server }) => server))];
  const read = async ({ backend, openapi: path }: AggregatedVersion): Promise<unknown> =>
    path === undefined ? undefined : readBackend(backend, { path, user: AGGREGATOR }, caller).catch(() => undefined);
  const documents = await Promise.all(servers.map(read));
  return kinds.flatMap((kind) => {
    const published = publishedSchema(documents[servers.indexOf(kind.server)], kind);
    return published === undefined ? [] : [{ ...kind, published }];
  });
}
