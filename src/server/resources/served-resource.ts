import type { Shape } from '../../api/apply/index.ts';
import type { JsonObject } from '../../api/json.ts';
import type { FieldError } from '../../manifest/field-error.ts';

/** A subresource, as discovery lists it. */
export interface SubresourceEntry {
  readonly name: string;
  /** The kind of its body and answer. */
  readonly kind: string;
  /** The group and version of that kind. Undefined: those of the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** A kind of object that the server serves, in one version. */
export interface ServedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceEntry[];
  /** The name of the resource in the store. */
  readonly storage: string;
  /** Undefined: a kind of Kubernetes. */
  readonly custom?: CustomVersion | undefined;
}

/** The rules of a served version of a CustomResourceDefinition for its objects. See custom/. */
export interface CustomVersion {
  /** Prunes unknown fields and sets defaults. Wrong types are errors. */
  readonly decode: (object: Record<string, unknown>) => {
    readonly object: Record<string, unknown>;
    /** The paths of fields that were pruned: `spec.x`. */
    readonly unknown: readonly string[];
    readonly errors: readonly FieldError[];
  };
  /** @param stored the object before a change. Undefined: it is new */
  readonly validate: (
    object: Record<string, unknown>,
    stored: Record<string, unknown> | undefined,
  ) => readonly FieldError[];
  readonly hasStatus: boolean;
  /** Warnings about a valid object. Default: none. */
  readonly warnings?: (object: Record<string, unknown>) => readonly string[];
  /** Its schema, for OpenAPI. */
  readonly schema: JsonObject;
  /** The way in which server-side apply merges its objects. */
  readonly shape: Shape;
  /** Undefined: the version has no scale. The paths are JSON paths: `.spec.replicas`. */
  readonly scale?: {
    readonly specPath: string;
    readonly statusPath: string;
    readonly selectorPath: string | undefined;
  };
  /** The columns of a Table beside the name. Empty: the age. */
  readonly columns: readonly PrinterColumn[];
}

/** A column of a Table, as `additionalPrinterColumns` says. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

/** `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** An object in the version of a resource. The versions of a custom kind have the same objects. */
export function inVersionOf<T extends { readonly apiVersion: string }>(resource: ServedResource, object: T): T {
  const apiVersion = resource.custom === undefined ? object.apiVersion : apiVersionOf(resource);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** The plural in messages, with the group if there is one: `pods`, `deployments.apps`. */
export function pluralWithGroup({ group, plural }: Pick<ServedResource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
