import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import { podHostname } from '../../../src/lifecycle/files/hosts-file.ts';
import { podWith } from '../base-objects.ts';

describe('podHostname()', () => {
  it.each<[spec: Partial<PodSpec>, name: string, want: string]>([
    [{}, 'web', 'web'],
    [{}, `${'a'.repeat(62)}.${'b'.repeat(9)}`, 'a'.repeat(62)],
    [{ hostname: 'db-0' }, 'web', 'db-0'],
    [{ hostname: 'db-0', subdomain: 'db' }, 'web', 'db-0'],
    [{ subdomain: 'db', setHostnameAsFQDN: true }, 'web', 'web.db.shop.svc.cluster.local'],
    [{ setHostnameAsFQDN: true }, 'web', 'web'],
    [{ hostname: 'x', hostnameOverride: 'other.example' }, 'web', 'other.example'],
  ])('of %j, called %s, is %s', (spec, name, want) => {
    expect(podHostname(podWith(spec, { name }))).toEqual({ ok: true, hostname: want });
  });

  it('is none when it is too long for a kernel', () => {
    const spec = { subdomain: 'd'.repeat(40), setHostnameAsFQDN: true };
    const name = `web.${'d'.repeat(40)}.shop.svc.cluster.local`;
    const message =
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${name} ` +
      'is too long (64 characters is the max, 67 characters requested)';
    expect(podHostname(podWith(spec))).toEqual({ ok: false, message });
  });
});
