import type { JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/objects.ts';
import type { Shape } from './shape.ts';

/** The versions of a kind whose objects differ: a manager owns fields of the version in which it has written. */
export interface KindVersions {
  shapeOf(apiVersion: string): Shape;
  /** The object in a version. Takes an object of any version. */
  convert<T extends KubeObject>(object: T, apiVersion: string): T;
}

/** An object of any version, or what is left of one. */
type Fields = JsonObject | undefined;

/** Values in the versions of their managers. Without versions, all versions have the same fields. */
export class VersionedFields {
  readonly #shape: Shape;
  readonly #versions: KindVersions | undefined;

  constructor(shape: Shape, versions: KindVersions | undefined) {
    this.#shape = shape;
    this.#versions = versions;
  }

  /** A key that is the same for versions with the same fields. */
  keyOf(apiVersion: string): string {
    return this.#versions === undefined ? '' : apiVersion;
  }

  shapeOf(apiVersion: string): Shape {
    return this.#versions?.shapeOf(apiVersion) ?? this.#shape;
  }

  convert(object: Fields, apiVersion: string): Fields {
    if (object === undefined || this.#versions === undefined || object['apiVersion'] === apiVersion) return object;
    const { metadata = {} } = object;
    return this.#versions.convert({ ...object, metadata } as KubeObject, apiVersion);
  }
}
