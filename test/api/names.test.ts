import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  configKeyMessages,
  envNameMessages,
  httpHeaderMessages,
  labelMessages,
  labelValueMessages,
  percentMessages,
  portNameMessages,
  qualifiedNameMessages,
  subdomainMessages,
  underscoreSubdomainMessages,
} from '../../src/api/base/names.ts';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const KEY_TAIL =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  " +
  "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

describe('names', () => {
  it.each([
    { check: labelMessages, good: ['a', '0', 'my-name', 'a'.repeat(63)] },
    { check: subdomainMessages, good: ['a', 'a.b-c.0', `${'a'.repeat(63)}.${'b'.repeat(189)}`] },
    { check: underscoreSubdomainMessages, good: ['_sip._tcp.example', 'a_b.c'] },
    { check: qualifiedNameMessages, good: ['a', 'A_b.c-D', 'example.com/a', 'a'.repeat(63)] },
    { check: labelValueMessages, good: ['', 'a', 'My_value.1', 'a'.repeat(63)] },
    { check: configKeyMessages, good: ['a', '.dockerconfigjson', '-_.', 'KEY'] },
    { check: envNameMessages, good: ['A', '1.my-Var with space/!', '~'] },
    { check: portNameMessages, good: ['http', 'a', '8080-a', 'abcdefghijklmno'] },
    { check: httpHeaderMessages, good: ['X-Header', '1'] },
    { check: percentMessages, good: ['0%', '25%'] },
  ])('$check.name accepts good names', ({ check, good }) => {
    for (const name of good) expect(check(name)).toEqual([]);
  });

  it.each([
    { check: labelMessages, name: '', want: [LABEL] },
    { check: labelMessages, name: 'App', want: [LABEL] },
    { check: labelMessages, name: 'a.b', want: ['must not contain dots'] },
    { check: labelMessages, name: 'a'.repeat(64), want: ['must be no more than 63 characters'] },
    { check: labelMessages, name: `${'a'.repeat(64)}-`, want: ['must be no more than 63 characters', LABEL] },
    { check: labelMessages, name: 'a\n', want: [LABEL] },
    { check: subdomainMessages, name: 'a..b', want: [SUBDOMAIN] },
    { check: subdomainMessages, name: 'a'.repeat(254), want: ['must be no more than 253 characters'] },
    { check: qualifiedNameMessages, name: '', want: ['name part must be non-empty', `name part ${KEY_TAIL}`] },
    { check: qualifiedNameMessages, name: '/a', want: ['prefix part must be non-empty'] },
    { check: qualifiedNameMessages, name: 'A.b/c', want: [`prefix part ${SUBDOMAIN}`] },
    { check: qualifiedNameMessages, name: 'a'.repeat(64), want: ['name part must be no more than 63 bytes'] },
    {
      check: qualifiedNameMessages,
      name: 'a/b/c',
      want: [`a valid label key ${KEY_TAIL} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    },
    { check: labelValueMessages, name: 'a'.repeat(64), want: ['must be no more than 63 bytes'] },
    { check: configKeyMessages, name: 'a b', want: [CONFIG_KEY] },
    { check: configKeyMessages, name: '.', want: ["must not be '.'"] },
    { check: configKeyMessages, name: '..', want: ["must not be '..'"] },
    { check: configKeyMessages, name: '..a', want: ["must not start with '..'"] },
    { check: envNameMessages, name: '', want: ['environment variable name must be non-empty'] },
    {
      check: portNameMessages,
      name: 'HTTP',
      want: [
        'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'must contain at least one letter (a-z)',
      ],
    },
    { check: portNameMessages, name: 'a--b', want: ['must not contain consecutive hyphens'] },
    { check: portNameMessages, name: '-a', want: ['must not begin or end with a hyphen'] },
    { check: portNameMessages, name: 'abcdefghijklmnop', want: ['must be no more than 15 characters'] },
  ])('$check.name refuses $name', ({ check, name, want }) => {
    expect(check(name)).toEqual(want);
  });

  it('counts bytes, not characters', () => {
    expect(labelMessages('é'.repeat(32))).toContain('must be no more than 63 characters');
  });

  it.each(['A=B', 'CAFÉ', 'A\nB', '\u007f'])('refuses %j as the name of an environment variable', (name) => {
    expect(envNameMessages(name)).toHaveLength(1);
  });

  it('accepts every label as a subdomain, a key and a value', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-a-z0-9.]{1,70}$/), (name) => {
        if (labelMessages(name).length > 0) return;
        expect([...subdomainMessages(name), ...qualifiedNameMessages(name), ...labelValueMessages(name)]).toEqual([]);
      }),
    );
  });
});
