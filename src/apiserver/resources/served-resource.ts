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
  /** Undefined: a kind of Kubernetes. */
  readonly custom?: CustomVersion | undefined;
  /** Undefined: clients see objects as they are stored. */
  readonly conversion?: Conversion | undefined;
  /** True: an update of an object that does not exist creates it. Source: AllowCreateOnUpdate of its strategy. */
  readonly createsOnUpdate?: boolean;
  /** The reason why objects have no effect here, for the user who creates them: `nobody scales`. */
  readonly noEffect?: string | undefined;
}

/** The conversion between the stored form of an object and the form of a version. Both take either form. */
export interface Conversion {
  readonly shown: <T extends KubeObject>(object: T) => T;
  readonly stored: <T extends KubeObject>(object: T) => T;
  /**
   * All mistakes of an object that is written in this version, in the stored form.
   * @param before Undefined: the object is new
   */
  readonly errors: (object: KubeObject, before: KubeObject | undefined) => readonly FieldError[];
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
  if (resource.conversion !== undefined) return resource.conversion.shown(object);
  const apiVersion = resource.custom === undefined ? object.apiVersion : apiVersionOf(resource);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** An object in the form of the store. */
export function inStoredForm<T extends KubeObject>({ conversion }: ServedResource, object: T): T {
  return conversion === undefined ? object : conversion.stored(object);
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
