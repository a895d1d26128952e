import type { JsonObject } from '../../api/index.ts';
import { documentOf } from './document.ts';
import { groupWords } from './operation-ids.ts';
import { pageItem } from './operations.ts';
import { schemaNameOf } from './schema-names.ts';
import { addTypeSchemas, type Schemas } from './type-schemas.ts';

/** A page with a document of its own. */
interface Page {
  readonly id: string;
  readonly tag: string;
  /** Undefined: a text. */
  readonly type: string | undefined;
}

const PAGES: Readonly<Record<string, Page>> = {
  '.well-known/openid-configuration': {
    id: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    type: undefined,
  },
  api: { id: 'getCoreAPIVersions', tag: 'core', type: 'meta.APIVersions' },
  apis: { id: 'getAPIVersions', tag: 'apis', type: 'meta.APIGroupList' },
  'openid/v1/jwks': { id: 'getServiceAccountIssuerOpenIDKeyset', tag: 'openid', type: undefined },
  version: { id: 'getCodeVersion', tag: 'version', type: 'version.Info' },
};

/**
 * The documents of pages that are no objects, by their place in the index.
 * @param groups the groups with kinds of Kubernetes' own
 */
export function pageDocuments(groups: readonly string[]): ReadonlyMap<string, () => JsonObject> {
  const ofGroups = groups.map((group): [string, Page] => {
    const words = groupWords(group);
    const tag = words.slice(0, 1).toLowerCase() + words.slice(1);
    return [`apis/${group}`, { id: `get${words}APIGroup`, tag, type: 'meta.APIGroup' }];
  });
  const pages = [...Object.entries(PAGES), ...ofGroups];
  return new Map(pages.map(([at, page]) => [at, () => documentOfPage(at, page)]));
}

function documentOfPage(at: string, { id, tag, type }: Page): JsonObject {
  const schemas: Schemas = {};
  if (type !== undefined) addTypeSchemas(schemas, type, {});
  return documentOf({ [`/${at}/`]: pageItem(id, tag, type === undefined ? undefined : schemaNameOf(type)) }, schemas);
}
