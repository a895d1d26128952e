import type { JsonObject, KubeObject, Shape } from '../../api/index.ts';
import type { FieldError } from '../../manifest/index.ts';

/** A subresource, as discovery lists it. */
export interface SubresourceEntry {
  readonly name: string;
  /** The kind of its body and answer. */
  readonly kind: string;
  /** The group and version of that kind. Undefined: the resource's. */
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
  /** The version in which the API server stores objects: `autoscaling/v2`. Default: this version. */
  readonly storedAs?: string;
  /** Undefined: a kind of Kubernetes. */
  readonly custom?: CustomVersion | undefined;
  /** Undefined: clients see objects as they are stored. */
  readonly conversion?: Conversion | undefined;
  /** True: an update of an object that does not exist creates it. Source: AllowCreateOnUpdate of its strategy. */
  readonly createsOnUpdate?: boolean;
  /** True: an object without a name gets a random one. Source: pkg/registry/core/limitrange/strategy.go. */
  readonly isNamedByUid?: boolean;
  /** True: no update changes an object without a version. Source: AllowUnconditionalUpdate of its strategy. */
  readonly needsVersion?: boolean;
  /** True: a deletion returns the object. Source: ReturnDeletedObject of its registry. */
  readonly returnsDeleted?: boolean;
  /** The warning that comes with each response. */
  readonly deprecation?: string | undefined;
  /** The reason why objects have no effect here, for the user who creates them: `nobody scales`. */
  readonly noEffect?: string | undefined;
}

/** The conversion between the stored form of an object and the form of a version. Both take either form. */
export interface Conversion {
  /** The group of the stored form, which the mistakes of objects name. */
  readonly storedGroup: string;
  readonly toVersion: <T extends KubeObject>(object: T) => T;
  readonly toStored: <T extends KubeObject>(object: T) => T;
  /**
   * All mistakes of an object that is written in this version, in the stored form.
   * @param before Undefined: the object is new
   */
  readonly errors: (object: KubeObject, before: KubeObject | undefined) => readonly FieldError[];
}

/** The rules of a served version of a CustomResourceDefinition for its objects. See custom/. */
export interface CustomVersion {
  /**
   * Prunes unknown fields and sets defaults. Wrong types are errors. An object of another kind, which its validation
   * refuses, keeps its fields.
   */
  readonly decode: (
    object: Record<string, unknown>,
    isOtherKind?: boolean,
  ) => {
    readonly object: Record<string, unknown>;
    /** The paths of fields that were pruned: `spec.x`. */
    readonly unknown: readonly string[];
    readonly errors: readonly FieldError[];
  };
  /**
   * @param stored the object before a change. Undefined: it is new
   * @param isOtherKind true: the object is refused in any case; only its lists and rules are checked as well
   */
  readonly validate: (
    object: Record<string, unknown>,
    stored: Record<string, unknown> | undefined,
    isOtherKind?: boolean,
  ) => readonly FieldError[];
  /** Sets defaults that an object of the store lacks, as it is read. Undefined: the schema has none. */
  readonly withDefaults?: (<T extends KubeObject>(object: T) => T) | undefined;
  readonly hasStatus: boolean;
  /** True for a kind of the API server's own code. False: objects of the kind are what a definition says. */
  readonly isTyped: boolean;
  /** Makes of a new object what is stored. Default: the object itself. */
  readonly atCreation?: (object: KubeObject) => KubeObject;
  /** Warnings about a valid object. Default: none. */
  readonly warnings?: (object: Record<string, unknown>) => readonly string[];
  /** The schema of the version, for OpenAPI. */
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
  /** The paths of the fields to select by: `spec.color`. Default: none. */
  readonly selectable?: readonly string[];
  /** Undefined: the versions of the kind have the same objects. */
  readonly conversion?: WebhookConversion | undefined;
}

/** A webhook that converts the objects of a custom kind between its versions. */
export interface WebhookConversion {
  readonly clientConfig: WebhookClient;
  /** The version of ConversionReview that it gets: `v1`. */
  readonly reviewVersion: string;
  /** The version in which objects are stored: `example.com/v1`. */
  readonly storedAs: string;
  /** Prunes and defaults an object in that version. */
  readonly decodeStored: CustomVersion['decode'];
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
export function inVersionOf<T extends KubeObject>(resource: ServedResource, object: T): T {
  if (resource.conversion !== undefined) return resource.conversion.toVersion(object);
  const apiVersion = resource.custom === undefined ? object.apiVersion : apiVersionOf(resource);
  const renamed = object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  return resource.custom?.withDefaults?.(renamed) ?? renamed;
}

/** An object in the form of the store. */
export function inStoredForm<T extends KubeObject>({ conversion }: ServedResource, object: T): T {
  return conversion === undefined ? object : conversion.toStored(object);
}

/** The kind that the mistakes of an object are about: `Pod`, `Deployment.apps`. */
export function kindInMistakes({ kind, group, conversion }: Pick<ServedResource, 'kind' | 'group' | 'conversion'>): {
  readonly kind: string;
  readonly group: string;
} {
  return { kind, group: conversion?.storedGroup ?? group };
}

/** The plural in messages, with the group if there is one: `pods`, `deployments.apps`. */
export function pluralWithGroup({ group, plural }: Pick<ServedResource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The address of a webhook: a URL, or a Service. */
export interface WebhookClient {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** The metadata of each list: Go writes an empty `continue` for kinds that it has no type of. */
export function listMetadata({ custom }: Pick<ServedResource, 'custom'>): { readonly continue?: string } {
  return custom?.isTyped === false ? { continue: '' } : {};
}
