import { describe, expect, it } from 'vitest';
import { type Fields, linesOf, object } from './objects.ts';

const slice = (fields: Fields): Fields => ({ addressType: 'IPv4', ...fields });
const at = (address: string): Fields => slice({ endpoints: [{ addresses: [address] }] });
const LOOPBACK = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';

describe('EndpointSlices', () => {
  it.each<[name: string, fields: Fields, want: string[]]>([
    ['endpoints', slice({ endpoints: [{ addresses: ['10.0.0.1'], hostname: 'a' }], ports: [{ port: 80 }] }), []],
    ['nothing', slice({}), []],
    ['no type', {}, ['addressType: Required value']],
    [
      'a wrong type',
      { addressType: 'IP' },
      ['addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"'],
    ],
    [
      'no address',
      slice({ endpoints: [{ addresses: [] }] }),
      ['endpoints[0].addresses: Required value: must contain at least 1 address'],
    ],
    [
      'another family',
      at('2001:db8::1'),
      ['endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address'],
    ],
    ['loopback', at('127.0.0.1'), [`endpoints[0].addresses[0]: Invalid value: "127.0.0.1": ${LOOPBACK}`]],
    ['two ports of one name', slice({ ports: [{ port: 1 }, { port: 2 }] }), ['ports[1].name: Duplicate value: ""']],
  ])('%s', (_, fields, want) => {
    expect(linesOf(object('EndpointSlice', fields))).toEqual(want);
  });
});

describe('Endpoints', () => {
  it.each<[name: string, fields: Fields, want: string[]]>([
    ['addresses', { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] }, []],
    ['none', {}, []],
    [
      'an empty subset',
      { subsets: [{ ports: [{ port: 80 }] }] },
      ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    ],
    [
      'ports without names',
      { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }, { port: 81 }] }] },
      ['subsets[0].ports[0].name: Required value', 'subsets[0].ports[1].name: Required value'],
    ],
    [
      'loopback',
      { subsets: [{ notReadyAddresses: [{ ip: '127.0.0.1' }] }] },
      [`subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": ${LOOPBACK}`],
    ],
  ])('%s', (_, fields, want) => {
    expect(linesOf(object('Endpoints', fields))).toEqual(want);
  });
});
