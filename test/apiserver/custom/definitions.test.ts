import { beforeAll, describe, expect, it } from 'vitest';
import { loadPatterns } from '../../../src/apiserver/custom/base/patterns.ts';
import { formatFieldError } from '../../../src/manifest/base/field-error.ts';
import {
  DEFINITION_VERSION,
  isServed,
  servedResourcesOf,
  statusOfDefinition,
  warningsAbout,
  type Definition,
} from '../../../src/apiserver/custom/index.ts';
import type { SchemaProps } from '../../../src/apiserver/custom/base/schema.ts';
import { versionsInGo } from '../../../src/apiserver/custom/definition/in-go.ts';
import { decodedDefinition, shirtDefinition } from './definition-of.ts';

beforeAll(loadPatterns);

const NOW = '2026-11-25T10:00:00Z';
const textsOf = (definition: Definition, stored?: Definition): string[] =>
  DEFINITION_VERSION.validate(definition, stored).map(formatFieldError);
const SCHEMA = 'spec.validation.openAPIV3Schema';

describe('a CustomResourceDefinition', () => {
  it('gets the names that follow from other names', () => {
    expect(shirtDefinition().spec.names).toMatchObject({ singular: 'shirt', listKind: 'ShirtList' });
  });

  it('that is well is accepted', () => {
    expect(textsOf(shirtDefinition({ type: 'object', properties: { size: { type: 'integer', default: 1 } } }))).toEqual(
      [],
    );
  });

  it('shows its versions as Go has them', () => {
    const schema: SchemaProps = {
      type: 'object',
      properties: { b: { type: 'array', items: { type: 'string' } }, a: { type: 'integer', maximum: 3 } },
      additionalProperties: false,
      'x-kubernetes-validations': [{ rule: 'true' }],
    };
    const version = { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: schema } };
    const scale = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' };
    const versions = [
      { ...version, subresources: { scale } },
      { ...version, name: 'v2', schema: { openAPIV3Schema: { type: 'object' } } },
    ];
    const [first] = versionsInGo(versions) as [Record<string, Record<string, Record<string, unknown>>>];
    const inGo = first['Schema']?.['OpenAPIV3Schema'] ?? {};
    expect(Object.keys(inGo)).toHaveLength(44);
    expect(Object.keys(inGo['Properties'] as object)).toEqual(['a', 'b']);
    expect(inGo).toMatchObject({
      ID: '',
      Type: 'object',
      Properties: { a: { Maximum: 3 }, b: { Items: { Schema: { Type: 'string' }, JSONSchemas: null } } },
      AdditionalProperties: { Allows: false, Schema: null },
      XValidations: [{ Rule: 'true', Message: '', Reason: null }],
    });
    expect(first).toMatchObject({
      Name: 'v1',
      Subresources: { Status: null, Scale: { SpecReplicasPath: '.spec.a', LabelSelectorPath: null } },
      SelectableFields: null,
    });
  });

  it.each<[object | undefined, string[]]>([
    [undefined, []],
    [{ strategy: 'Other' }, ['strategy: Unsupported value: "Other": supported values: "None", "Webhook"']],
    [
      { strategy: 'Webhook' },
      [
        'webhookClientConfig: Required value: required when strategy is set to Webhook',
        'conversionReviewVersions: Required value',
      ],
    ],
    [
      { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v2', 'v2'] } },
      [
        'webhookClientConfig: Required value: exactly one of url or service is required',
        'conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
        'conversionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      { strategy: 'None', webhook: { clientConfig: { url: 'https://127.0.0.1/' } } },
      ['webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook'],
    ],
  ])('with the conversion %j', (conversion, texts) => {
    const { spec } = shirtDefinition();
    const definition = decodedDefinition({ ...spec, ...(conversion && { conversion }) });
    expect(textsOf(definition)).toEqual(texts.map((text) => `spec.conversion.${text}`));
  });

  it.each<[string, SchemaProps, string]>([
    [
      'a field without type',
      { type: 'object', properties: { a: {} } },
      '.properties[a].type: Required value: must not be empty for specified object fields',
    ],
    ['a list without items', { type: 'array' }, '.items: Required value: must be specified'],
    [
      'uniqueItems',
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      '.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      'both properties and additionalProperties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      '.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [
      'a type in an alternative',
      { type: 'object', anyOf: [{ type: 'object' }] },
      '.anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    [
      'a list map without keys',
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
      '.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
    ['a reference', { type: 'object', $ref: '#/x' }, '.$ref: Forbidden: $ref is not supported'],
    ['a default of the wrong type', { type: 'integer', default: 'a' }, '.default: Invalid value: "string": '],
    [
      'a pattern that takes long to compile',
      { type: 'object', properties: { a: { type: 'string', pattern: '(a|b)'.repeat(200_000) } } },
      '.properties[a].pattern: Invalid value: ',
    ],
    [
      'a broken pattern',
      { type: 'string', pattern: '(' },
      '.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing',
    ],
    [
      'an embedded object that keeps nothing',
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      '.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without ',
    ],
    [
      'an unknown map type',
      { type: 'object', 'x-kubernetes-map-type': 'foo' } as unknown as SchemaProps,
      '.x-kubernetes-map-type: Unsupported value: "foo": supported values: "atomic", "granular"',
    ],
    [
      'a set of granular objects',
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
      '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with ',
    ],
    [
      'a key of a list that items may leave out',
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      '.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so ',
    ],
    [
      'a broken rule',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a >' }] },
      '.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a \\u003e","Message":"",' +
        '"MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: ' +
        "<input>:1:9: Syntax error: mismatched input '<EOF>' expecting",
    ],
  ])('with %s is refused', (_, schema, text) => {
    expect(textsOf(shirtDefinition(schema)).join('\n')).toContain(`${SCHEMA}.properties[spec]${text}`);
  });

  it.each<[string, object, string, string]>([
    [
      'another name',
      {},
      'shirt.stable.example.com',
      'metadata.name: Invalid value: "shirt.stable.example.com": must be spec.names.plural+"."+spec.group',
    ],
    ['no scope', { scope: undefined }, 'shirts.stable.example.com', 'spec.scope: Required value'],
    [
      'an unknown scope',
      { scope: 'Galaxy' },
      'shirts.stable.example.com',
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    [
      'no version to store',
      { versions: [] },
      'shirts.stable.example.com',
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
    ],
    [
      'a group of Kubernetes',
      { group: 'x.k8s.io' },
      'shirts.x.k8s.io',
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval',
    ],
    [
      'a spec that is no object',
      { names: 'x' },
      'a',
      'spec.names: Invalid value: "string": spec.names in body must be of type object: "string"',
    ],
  ])('with %s is refused', (_, change, name, text) => {
    const definition = decodedDefinition({ ...shirtDefinition().spec, ...change }, name);
    expect(textsOf(definition).join('\n')).toContain(text);
  });

  it('keeps its scope once it is served', () => {
    const stored = { ...shirtDefinition(), status: statusOfDefinition(shirtDefinition(), [], NOW) };
    const changed = decodedDefinition({ ...stored.spec, scope: 'Cluster' });
    expect(textsOf(changed, stored)).toEqual(['spec.scope: Invalid value: "Cluster": field is immutable']);
  });

  it('is served when its names are free', () => {
    const status = statusOfDefinition(shirtDefinition(), [], NOW);
    expect(status).toMatchObject({
      acceptedNames: { plural: 'shirts', singular: 'shirt', kind: 'Shirt', listKind: 'ShirtList', shortNames: ['sh'] },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
          lastTransitionTime: NOW,
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      storedVersions: ['v1'],
    });
    const [resource] = servedResourcesOf({ ...shirtDefinition(), status });
    expect(resource).toMatchObject({ plural: 'shirts', storage: 'shirts.stable.example.com', shortNames: ['sh'] });
  });

  it('is not served while another definition has its kind', () => {
    const first = { ...shirtDefinition(), status: statusOfDefinition(shirtDefinition(), [], NOW) };
    const second = decodedDefinition(
      { ...first.spec, names: { plural: 'tops', kind: 'Shirt' } },
      'tops.stable.example.com',
    );
    const status = statusOfDefinition(second, [first], NOW);
    expect(status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict', message: '"ShirtList" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ]);
    expect(isServed({ ...second, status })).toBe(false);
  });

  it('tells of rules that podrun cannot evaluate', () => {
    const rules = [{ rule: "image('a').tag() == 'b'" }, { rule: 'self.a == 1' }];
    const warnings = warningsAbout(shirtDefinition({ type: 'object', 'x-kubernetes-validations': rules }));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("podrun does not evaluate a rule of version v1: image('a').tag() == 'b': ");
  });
});
