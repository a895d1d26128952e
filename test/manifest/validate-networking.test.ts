import { describe, expect, it } from 'vitest';
import { linesOf, pod } from './objects.ts';

const VALID = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

describe('addresses', () => {
  it.each([
    { ip: '10.0.0.1', wrong: undefined },
    { ip: '::', wrong: undefined },
    { ip: '2001:db8::1', wrong: undefined },
    { ip: '1:2:3:4:5:6:7:8', wrong: undefined },
    { ip: '64:ff9b::10.0.0.1', wrong: undefined },
    { ip: '10.0.0', wrong: VALID },
    { ip: '10.0.0.256', wrong: VALID },
    { ip: '1:2:3:4:5:6:7', wrong: VALID },
    { ip: '1::2::3', wrong: VALID },
    { ip: '12345::', wrong: VALID },
    { ip: '', wrong: VALID },
    { ip: '10.0.0.01', wrong: 'must not have leading 0s' },
    { ip: '::ffff:10.0.0.1', wrong: 'must not be an IPv4-mapped IPv6 address' },
  ])('$ip', ({ ip, wrong }) => {
    const lines = linesOf(pod({ hostAliases: [{ ip, hostnames: ['a.b'] }] }));
    expect(lines).toEqual(wrong === undefined ? [] : [`spec.hostAliases[0].ip: Invalid value: "${ip}": ${wrong}`]);
  });
});

describe('the resolver', () => {
  it('takes underscores, final dots and the root alone', () => {
    const dnsConfig = { nameservers: ['::1'], searches: ['_tcp.example.com.', '.'], options: [{ name: 'ndots' }] };
    expect(linesOf(pod({ dnsPolicy: 'None', dnsConfig }))).toEqual([]);
  });

  it('has the limits of the C library', () => {
    const searches = Array.from({ length: 33 }, (_, index) => `${'a'.repeat(60)}.x${index}`);
    const lines = linesOf(pod({ dnsConfig: { searches, options: [{ value: '2' }] } }));
    expect(lines.map((line) => line.replace(/\[".*"\]/, '[...]'))).toEqual([
      'spec.dnsConfig.searches: Invalid value: [...]: must not have more than 32 search paths',
      'spec.dnsConfig.searches: Invalid value: [...]: ' +
        'must not have more than 2048 characters (including spaces) in the search list',
      'spec.dnsConfig.options[0]: Required value: must not be empty',
    ]);
  });

  it('must come from somewhere', () => {
    expect(linesOf(pod({ dnsPolicy: 'None' }))).toEqual([
      'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
    ]);
  });
});

describe('host names', () => {
  it('of other objects are subdomains', () => {
    expect(linesOf(pod({ hostAliases: [{ ip: '::1', hostnames: ['ok', 'Not_Ok'] }] }))).toEqual([
      expect.stringMatching(
        /^spec\.hostAliases\[0\]\.hostnames\[1\]: Invalid value: "Not_Ok": a lowercase RFC 1123 sub/,
      ),
    ]);
  });

  it('may be overridden, up to 64 bytes and alone', () => {
    expect(linesOf(pod({ hostnameOverride: `${'a'.repeat(60)}.bcd` }))).toEqual([]);
    expect(linesOf(pod({ hostnameOverride: '', setHostnameAsFQDN: true }))).toEqual([
      'spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
      expect.stringMatching(/^spec\.hostnameOverride: Invalid value: "": a lowercase RFC 1123 subdomain/),
    ]);
  });
});
