import {
  labelMessages,
  type ResourceDeviceClass,
  type ResourceDeviceAttribute,
  type ResourceDevice,
  type ResourceDeviceClaim,
  type ResourceDeviceRequest,
  type ResourceDeviceSelector,
  type ResourceExactDeviceRequest,
  type ResourceOpaqueDeviceConfiguration,
  type ResourceResourceClaim,
  type ResourceResourceClaimTemplate,
  type ResourceResourceSlice,
  type ResourceResourceSliceSpec,
  subdomainMessages,
} from '../../api/index.ts';
import {
  child,
  duplicate,
  entry,
  type FieldError,
  type GoShape,
  inGo,
  invalid,
  item,
  notSupported,
  required,
  tooMany,
} from '../base/field-error.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import { each, notNegative, repeated, requiredWellFormed, wellFormed } from './checks.ts';
import { validateAnnotations, validateLabels } from './labels.ts';

/** Source of all rules here: pkg/apis/resource/validation/validation.go. */

const REQUESTS_MAX = 32;
const DEVICES_MAX = 128;
const MODES = ['All', 'ExactCount'];
const REQUEST_KINDS = 'exactly one of `exactly` or `firstAvailable` is required';
const NODE_FIELDS = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const ONE_NODE_FIELD = `exactly one of ${NODE_FIELDS.map((field) => `\`${field}\``).join(', ')} is required`;
const ONE_VALUE = 'exactly one value must be specified';

const ATTRIBUTE: GoShape = {
  IntValue: ['int', null],
  BoolValue: ['bool', null],
  StringValue: ['string', null],
  VersionValue: ['version', null],
  IntValues: ['ints', null],
  BoolValues: ['bools', null],
  StringValues: ['strings', null],
  VersionValues: ['versions', null],
};

export function validateResourceClaim({ spec = {} }: Decoded<ResourceResourceClaim>): FieldError[] {
  return validateClaim('spec.devices', spec.devices ?? {});
}

export function validateResourceTemplate({ spec = {} }: Decoded<ResourceResourceClaimTemplate>): FieldError[] {
  const { labels, annotations } = spec.metadata ?? {};
  return [
    ...validateLabels('spec.metadata.labels', labels),
    ...validateAnnotations('spec.metadata.annotations', annotations),
    ...validateClaim('spec.spec.devices', spec.spec?.devices ?? {}),
  ];
}

function validateClaim(at: string, { requests = [], config }: Decoded<ResourceDeviceClaim>): FieldError[] {
  const path = child(at, 'requests');
  return [
    ...(requests.length > REQUESTS_MAX ? [tooMany(path, requests.length, REQUESTS_MAX)] : []),
    ...each(path, requests, (request, place, index) => [
      ...validateRequest(request, place),
      ...(requests.findIndex(({ name }) => name === request.name) < index ? [duplicate(place, request.name)] : []),
    ]),
    ...each(child(at, 'config'), config, ({ opaque }, place) => validateOpaque(place, opaque)),
  ];
}

function validateRequest(request: Decoded<ResourceDeviceRequest>, at: string): FieldError[] {
  const { name, exactly, firstAvailable = [] } = request;
  const isList = firstAvailable.length > 0;
  const place = child(at, 'firstAvailable');
  return [
    ...requiredWellFormed(child(at, 'name'), name, labelMessages),
    ...(exactly === undefined && !isList ? [required(at, REQUEST_KINDS)] : []),
    ...(exactly !== undefined && isList ? [invalid(at, null, `${REQUEST_KINDS}, but multiple fields are set`)] : []),
    ...(exactly === undefined ? [] : validateExactly(exactly, child(at, 'exactly'))),
    ...each(place, firstAvailable, (option, path) => [
      ...requiredWellFormed(child(path, 'name'), option.name, labelMessages),
      ...validateExactly(option, path),
    ]),
    ...repeated(place, firstAvailable, (option) => option.name ?? ''),
  ];
}

function validateExactly(request: Decoded<ResourceExactDeviceRequest>, at: string): FieldError[] {
  const { deviceClassName, selectors, allocationMode = 'ExactCount', count } = request;
  const path = child(at, 'count');
  return [
    ...requiredWellFormed(child(at, 'deviceClassName'), deviceClassName, subdomainMessages),
    ...each(child(at, 'selectors'), selectors, validateSelector),
    ...(MODES.includes(allocationMode) ? [] : [notSupported(child(at, 'allocationMode'), allocationMode, MODES)]),
    ...(allocationMode === 'All' && (count ?? 0) !== 0
      ? [invalid(path, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(allocationMode === 'ExactCount' && (count ?? 1) <= 0
      ? [invalid(path, count, 'must be greater than zero')]
      : []),
  ];
}

function validateSelector({ cel }: Decoded<ResourceDeviceSelector>, at: string): FieldError[] {
  return cel === undefined ? [required(child(at, 'cel'))] : [];
}

function validateOpaque(at: string, opaque: Decoded<ResourceOpaqueDeviceConfiguration> | undefined): FieldError[] {
  const place = child(at, 'opaque');
  if (opaque === undefined) return [required(place)];
  return [
    ...requiredWellFormed(child(place, 'driver'), opaque.driver, subdomainMessages),
    ...(opaque.parameters === undefined ? [required(child(place, 'parameters'))] : []),
  ];
}

export function validateDeviceClass({ spec = {} }: Decoded<ResourceDeviceClass>): FieldError[] {
  return [
    ...each('spec.selectors', spec.selectors, validateSelector),
    ...each('spec.config', spec.config, ({ opaque }, at) => validateOpaque(at, opaque)),
  ];
}

export function validateResourceSlice({ spec = {} }: Decoded<ResourceResourceSlice>): FieldError[] {
  const { driver, pool = {}, devices = [] } = spec;
  const { name = '', generation, resourceSliceCount: count = 0 } = pool;
  return [
    ...requiredWellFormed('spec.driver', driver, subdomainMessages),
    ...(name === ''
      ? [required('spec.pool.name')]
      : name.split('/').flatMap((part) => wellFormed('spec.pool.name', part, subdomainMessages))),
    ...(count <= 0 ? [invalid('spec.pool.resourceSliceCount', count, 'must be greater than zero')] : []),
    ...notNegative('spec.pool.generation', generation),
    ...validateNodes(spec),
    ...(devices.length > DEVICES_MAX ? [tooMany('spec.devices', devices.length, DEVICES_MAX)] : []),
    ...each('spec.devices', devices, (device, at, index) => [
      ...validateDevice(device, at),
      ...(devices.findIndex((other) => other.name === device.name) < index
        ? [duplicate(item('spec.devices', index), device.name)]
        : []),
    ]),
  ];
}

function validateNodes(spec: Decoded<ResourceResourceSliceSpec>): FieldError[] {
  const given = NODE_FIELDS.filter((field) => spec[field] !== undefined && spec[field] !== false && spec[field] !== '');
  if (given.length === 0) return [required('spec', ONE_NODE_FIELD)];
  if (given.length === 1) return [];
  const listed = `{${given.map((field) => `\`${field}\``).join(', ')}}`;
  return [invalid('spec', listed, `${ONE_NODE_FIELD}, but multiple fields are set`)];
}

function validateDevice({ name, attributes }: Decoded<ResourceDevice>, at: string): FieldError[] {
  return [
    ...requiredWellFormed(child(at, 'name'), name, labelMessages),
    ...entriesByKey(attributes).flatMap(([key, attribute]) =>
      validateAttribute(entry(child(at, 'attributes'), key), attribute),
    ),
  ];
}

function validateAttribute(at: string, attribute: Decoded<ResourceDeviceAttribute>): FieldError[] {
  const given = Object.values(attribute).filter((value) => value !== undefined).length;
  if (given === 0) return [required(at, ONE_VALUE)];
  return given === 1 ? [] : [invalid(at, inGo(attribute, ATTRIBUTE), ONE_VALUE)];
}
