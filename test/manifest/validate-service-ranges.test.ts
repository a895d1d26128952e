import { describe, expect, it } from 'vitest';
import { canonicalIp } from '../../src/api/base/ip.ts';
import { formatFieldError } from '../../src/manifest/base/field-error.ts';
import { admitUpdate } from '../../src/manifest/update/admit-update.ts';
import { validateObject } from '../../src/manifest/validate/index.ts';
import { isInCidr } from '../../src/manifest/validate/ip.ts';

const apiVersion = 'networking.k8s.io/v1';
const range = (cidrs: readonly string[]): Parameters<typeof validateObject>[0] => {
  return { apiVersion, kind: 'ServiceCIDR', metadata: { name: 'more' }, spec: { cidrs } };
};
const address = (name: string, parentRef?: object): Parameters<typeof validateObject>[0] => {
  return { apiVersion, kind: 'IPAddress', metadata: { name }, spec: { parentRef } };
};
const WEB = { resource: 'services', namespace: 'default', name: 'web' };
const lines = (object: Parameters<typeof validateObject>[0]): string[] => validateObject(object).map(formatFieldError);

describe('a ServiceCIDR', () => {
  it.each([
    [['10.96.0.0/16'], []],
    [['10.96.0.0/16', '2001:db8::/108'], []],
    [[], ['spec.cidrs: Required value: at least one CIDR required']],
    [
      ['10.96.0.1/16'],
      ['spec.cidrs[0]: Invalid value: "10.96.0.1/16": must not have bits set beyond the prefix length'],
    ],
    [
      ['2001:db8::1/108'],
      ['spec.cidrs[0]: Invalid value: "2001:db8::1/108": must not have bits set beyond the prefix length'],
    ],
    [
      ['10.1.0.0/16', '10.2.0.0/16'],
      [expect.stringContaining('may specify no more than one IP for each IP family') as unknown as string],
    ],
  ])('%j', (cidrs, wanted) => {
    expect(lines(range(cidrs))).toEqual(wanted);
  });

  it.each([
    [['10.96.0.0/16'], ['10.96.0.0/16', '2001:db8::/108'], []],
    [['10.96.0.0/16'], ['10.97.0.0/16'], ['spec.cidrs[0]: Invalid value: "10.97.0.0/16": field is immutable']],
    [
      ['10.96.0.0/16', '2001:db8::/108'],
      ['10.96.0.0/16'],
      ['spec.cidrs: Invalid value: ["10.96.0.0/16"]: field is immutable'],
    ],
  ])('changes from %j to %j', (before, after, wanted) => {
    const verdict = admitUpdate(range(before), range(after));
    expect(verdict.ok ? [] : verdict.errors.map(formatFieldError)).toEqual(wanted);
  });
});

describe('an IPAddress', () => {
  it.each([
    ['10.96.0.9', WEB, []],
    ['2001:db8::1', WEB, []],
    [
      '2001:DB8:0::1',
      WEB,
      ['metadata.name: Invalid value: "2001:DB8:0::1": must be in canonical form ("2001:db8::1")'],
    ],
    ['10.96.0.9', undefined, ['spec.parentRef: Required value']],
    ['10.96.0.9', { ...WEB, name: '' }, ['spec.parentRef.name: Required value']],
    [
      '10.96.0.9',
      { ...WEB, resource: 'a/b' },
      ['spec.parentRef.resource: Invalid value: "a/b": may not contain \'/\''],
    ],
  ])('%s of %j', (name, parentRef, wanted) => {
    expect(lines(address(name, parentRef))).toEqual(wanted);
  });

  it('keeps its parent', () => {
    const verdict = admitUpdate(address('10.96.0.9', WEB), address('10.96.0.9', { ...WEB, name: 'other' }));
    expect(verdict.ok ? [] : verdict.errors.map(({ path }) => path)).toEqual(['spec.parentRef']);
  });
});

describe('an address', () => {
  it.each([
    ['10.96.0.0/16', '10.96.255.255', true],
    ['10.96.0.0/16', '10.97.0.0', false],
    ['10.0.0.0/8', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['64:ff9b::/96', '64:ff9b::10.0.0.1', true],
  ])('is in %s: %s %s', (cidr, one, isIn) => {
    expect(isInCidr(cidr, one)).toBe(isIn);
  });

  it('has one text', () => {
    expect(['10.0.0.1', '2001:DB8:0:0::1', '::'].map(canonicalIp)).toEqual(['10.0.0.1', '2001:db8::1', '::']);
  });
});
