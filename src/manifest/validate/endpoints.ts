import {
  type DiscoveryEndpointPort,
  type Endpoint,
  type EndpointAddress,
  type EndpointPort,
  type EndpointSlice,
  type EndpointSubset,
  labelMessages,
  labelValueMessages,
  qualifiedNameMessages,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, duplicate, type FieldError, invalid, required, tooMany } from '../base/field-error.ts';
import { each, requiredOneOf, requiredWellFormed, wellFormed, wellFormedIfSet } from './checks.ts';
import { ipFamily, validateIp, validateOrdinaryIp } from './ip.ts';
import { PORT_PROTOCOLS, validatePortNumber } from './ports.ts';

const ADDRESS_TYPES: readonly string[] = ['FQDN', 'IPv4', 'IPv6'];
const ENDPOINTS_MAX = 1000;
const PORTS_MAX = 20_000;
const ADDRESSES_MAX = 100;

/** Source: pkg/apis/discovery/validation/validation.go, ValidateEndpointSlice. */
export function validateEndpointSlice(slice: Decoded<EndpointSlice>): FieldError[] {
  const { addressType, endpoints = [], ports = [] } = slice;
  return [
    ...requiredOneOf('addressType', addressType, ADDRESS_TYPES),
    ...(endpoints.length > ENDPOINTS_MAX
      ? [tooMany('endpoints', endpoints.length, ENDPOINTS_MAX)]
      : each('endpoints', endpoints, (endpoint, at) => validateEndpoint(endpoint, at, addressType))),
    ...(ports.length > PORTS_MAX ? [tooMany('ports', ports.length, PORTS_MAX)] : validateSlicePorts(ports)),
  ];
}

function validateEndpoint(
  { addresses = [], hostname, nodeName, hints }: Decoded<Endpoint>,
  path: string,
  type: string | undefined,
): FieldError[] {
  const addressesPath = child(path, 'addresses');
  const count =
    addresses.length === 0
      ? [required(addressesPath, 'must contain at least 1 address')]
      : addresses.length > ADDRESSES_MAX
        ? [tooMany(addressesPath, addresses.length, ADDRESSES_MAX)]
        : [];
  return [
    ...count,
    ...each(addressesPath, addresses, (address, at) => validateAddress({ address, at, list: addressesPath }, type)),
    ...wellFormedIfSet(child(path, 'nodeName'), nodeName, subdomainMessages),
    ...wellFormedIfSet(child(path, 'hostname'), hostname, labelMessages),
    ...each(child(path, 'hints', 'forZones'), hints?.forZones, ({ name = '' }, at) =>
      wellFormed(child(at, 'name'), name, labelValueMessages),
    ),
  ];
}

interface ListedAddress {
  readonly address: string;
  readonly at: string;
  /** The path of the list, which the API server names for an address of the other family. */
  readonly list: string;
}

function validateAddress({ address, at, list }: ListedAddress, type: string | undefined): FieldError[] {
  if (type === 'FQDN') return wellFormed(at, address, subdomainMessages);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const mistakes = validateIp(at, address);
  if (mistakes.length > 0) return mistakes;
  const other = ipFamily(address) === type ? [] : [invalid(list, address, `must be an ${type} address`)];
  return [...other, ...validateOrdinaryIp(at, address)];
}

function validateSlicePorts(ports: readonly Decoded<DiscoveryEndpointPort>[]): FieldError[] {
  const names = new Set<string>();
  return each('ports', ports, ({ name = '', protocol, appProtocol }, at) => {
    const errors = wellFormedIfSet(child(at, 'name'), name, labelMessages);
    if (names.has(name)) errors.push(duplicate(child(at, 'name'), name));
    names.add(name);
    return [
      ...errors,
      ...requiredOneOf(child(at, 'protocol'), protocol, PORT_PROTOCOLS),
      ...wellFormedIfSet(child(at, 'appProtocol'), appProtocol, qualifiedNameMessages),
    ];
  });
}

/** The mistakes of a part of an Endpoints. Source: pkg/apis/core/validation/validation.go, ValidateEndpoints. */
export function validateSubset(subset: Decoded<EndpointSubset>, path: string): FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...each(child(path, 'addresses'), addresses, validateSubsetAddress),
    ...each(child(path, 'notReadyAddresses'), notReadyAddresses, validateSubsetAddress),
    ...each(child(path, 'ports'), ports, (port, at) => validateSubsetPort(port, at, ports.length > 1)),
  ];
}

function validateSubsetAddress({ ip = '', hostname, nodeName }: Decoded<EndpointAddress>, path: string): FieldError[] {
  const ipPath = child(path, 'ip');
  const mistakes = validateIp(ipPath, ip);
  return [
    // The two checks of an address have words of their own for what is none.
    ...mistakes,
    ...(ipFamily(ip) === undefined
      ? [invalid(ipPath, ip, 'must be a valid IP address')]
      : validateOrdinaryIp(ipPath, ip)),
    ...wellFormedIfSet(child(path, 'hostname'), hostname, labelMessages),
    ...wellFormedIfSet(child(path, 'nodeName'), nodeName, subdomainMessages),
  ];
}

function validateSubsetPort(port: Decoded<EndpointPort>, path: string, needsName: boolean): FieldError[] {
  const namePath = child(path, 'name');
  const name = needsName ? requiredWellFormed : wellFormedIfSet;
  return [
    ...name(namePath, port.name, labelMessages),
    ...validatePortNumber(child(path, 'port'), port.port),
    ...requiredOneOf(child(path, 'protocol'), port.protocol, PORT_PROTOCOLS),
    ...wellFormedIfSet(child(path, 'appProtocol'), port.appProtocol, qualifiedNameMessages),
  ];
}
