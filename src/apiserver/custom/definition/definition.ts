import type { DefinitionColumn, KubeObject } from '../../../api/index.ts';
import type { SchemaProps } from '../base/schema.ts';
import type { WebhookClient } from '../../resources/served-resource.ts';

/** A CustomResourceDefinition, with its defaults. Source: apiextensions/v1, types.go. */
export interface Definition extends KubeObject {
  readonly spec: DefinitionSpec;
  readonly status?: DefinitionStatus;
}

/** True for the kind CustomResourceDefinition. */
export function isDefinition({ kind, apiVersion }: { readonly kind: string; readonly apiVersion: string }): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion === 'apiextensions.k8s.io/v1';
}

export interface DefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: DefinitionConversion;
  readonly preserveUnknownFields?: boolean;
}

/** The way between versions. */
export interface DefinitionConversion {
  readonly strategy: string;
  readonly webhook?: { readonly clientConfig?: WebhookClient; readonly conversionReviewVersions?: readonly string[] };
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: SchemaProps };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly DefinitionColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** JSON paths: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[];
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

const text: SchemaProps = { type: 'string' };
const texts: SchemaProps = { type: 'array', items: text };
const object = (properties: Record<string, SchemaProps>, required: readonly string[] = []): SchemaProps => ({
  type: 'object',
  properties,
  required,
});

const NAMES = object({
  plural: text,
  singular: text,
  kind: text,
  listKind: text,
  shortNames: texts,
  categories: texts,
});
const COLUMN = object({
  name: text,
  type: text,
  format: text,
  description: text,
  priority: { type: 'integer' },
  jsonPath: text,
});
const VERSION = object({
  name: text,
  served: { type: 'boolean', default: false },
  storage: { type: 'boolean', default: false },
  deprecated: { type: 'boolean' },
  deprecationWarning: text,
  schema: object({ openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }),
  subresources: object({
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    scale: object({ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text }),
  }),
  additionalPrinterColumns: { type: 'array', items: COLUMN },
  selectableFields: { type: 'array', items: object({ jsonPath: text }) },
});
const WEBHOOK_CLIENT = object({
  url: text,
  caBundle: text,
  service: object({ namespace: text, name: text, path: text, port: { type: 'integer' } }),
});
const CONDITION = object({
  type: text,
  status: text,
  lastTransitionTime: text,
  reason: text,
  message: text,
  observedGeneration: { type: 'integer' },
});

/** The schema of CustomResourceDefinitions themselves. */
export const DEFINITION_SCHEMA: SchemaProps = object({
  spec: {
    ...object({
      group: text,
      scope: text,
      names: { ...NAMES, default: {} },
      versions: { type: 'array', items: VERSION, default: [] },
      conversion: {
        ...object({
          strategy: text,
          webhook: object({ clientConfig: WEBHOOK_CLIENT, conversionReviewVersions: texts }),
        }),
        default: { strategy: 'None' },
      },
      preserveUnknownFields: { type: 'boolean' },
    }),
    default: {},
  },
  status: object({
    // A new definition has a null: Go writes one for a list that nothing was put into.
    conditions: {
      type: 'array',
      nullable: true,
      items: CONDITION,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    acceptedNames: NAMES,
    storedVersions: texts,
  }),
});

/** Sets the names that follow from other names. Source: apiextensions/v1, defaults.go. */
export function withDefaultNames(definition: Definition): Definition {
  const { names } = definition.spec;
  const { kind, singular, listKind } = names;
  if (typeof kind !== 'string' || kind === '') return definition;
  const all = { ...names, singular: singular || kind.toLowerCase(), listKind: listKind || `${kind}List` };
  return { ...definition, spec: { ...definition.spec, names: all } };
}
