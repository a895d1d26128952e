/** The schemas that all groups share, by the primitives of the field table. */
export const SHARED_SCHEMAS: Readonly<Record<string, string>> = {
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  time: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  microTime: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
};

/** The schema of the body of a patch. */
export const PATCH_SCHEMA = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
export const META_SCHEMA = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Types outside of the groups. */
const PLACES = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  runtime: 'io.k8s.apimachinery.pkg.runtime',
  version: 'io.k8s.apimachinery.pkg.version',
};

/** The name of the schema of a type: `apps.Deployment` is `io.k8s.api.apps.v1.Deployment`. */
export function schemaNameOf(type: string): string {
  const [name = '', group = 'core'] = type.split('.').reverse();
  if (group === 'meta') return `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;
  const places: Readonly<Record<string, string>> = PLACES;
  if (places[group] !== undefined) return `${places[group]}.${name}`;
  if (group === 'apiregistration') return `io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.${name}`;
  const [, own = '', version = '1'] = /^(.*?)(?:V(\d))?$/.exec(group) ?? [];
  return `io.k8s.api.${own}.v${version}.${name}`;
}

/** The name of the schema of a kind: the name of its type, or for a custom kind its group from the back. */
export function schemaNameOfKind(group: string, version: string, kind: string): string {
  return [...group.split('.').reverse(), version, kind].filter(Boolean).join('.');
}

/** A reference to a schema. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
