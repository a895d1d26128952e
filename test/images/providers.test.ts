import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCredentialProviders } from '../../src/settings/config/credential-providers.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { CredentialProviders } from '../../src/images/credentials/providers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'providers-'));
  mkdirSync(path.join(folder, 'bin'));
  writeFileSync(
    path.join(folder, 'bin/login'),
    `#!/bin/sh
read -r request; echo "$request" >>'${folder}/asked'
echo '{"apiVersion":"credentialprovider.kubelet.k8s.io/v1","kind":"CredentialProviderResponse",'
echo '"cacheKeyType":"Registry","cacheDuration":"1m","auth":{"reg.example":{"username":"'$WHO-$1'","password":"p"}}}'
`,
  );
  chmodSync(path.join(folder, 'bin/login'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const provider = {
  name: 'login',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  matchImages: ['*.example/team'],
  defaultCacheDuration: '10m',
  args: ['get'],
  env: [{ name: 'WHO', value: 'robot' }],
};

function read(providers: readonly object[], fields: object = {}): ReturnType<typeof readCredentialProviders> {
  const config = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers, ...fields };
  writeFileSync(path.join(folder, 'config.yaml'), JSON.stringify(config));
  const flags = { imageCredentialProviderConfig: 'config.yaml', imageCredentialProviderBinDir: 'bin' };
  return readCredentialProviders(flags, folder);
}

describe('credential provider plugins', () => {
  it('answer for the images that they are for, and are asked once for a registry', async () => {
    const clock = new ManualClock();
    const providers = new CredentialProviders(read([provider]), {}, clock);
    const users = async (repository: string): Promise<string[]> =>
      (await providers.keyrings(repository)).flat().map(({ credential }) => credential.username);
    expect(await Promise.all([users('reg.example/team/a'), users('reg.example/team/a')])).toEqual([
      ['robot-get'],
      ['robot-get'],
    ]);
    expect(await users('reg.example/team/b')).toEqual(['robot-get']);
    expect(await users('reg.example/other')).toEqual([]);
    const asked = readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n');
    expect(asked.map((line) => JSON.parse(line) as unknown)).toEqual([
      { kind: 'CredentialProviderRequest', apiVersion: provider.apiVersion, image: 'reg.example/team/a' },
    ]);
    clock.advance(61_000);
    await users('reg.example/team/b');
    expect(readFileSync(path.join(folder, 'asked'), 'utf8')).toContain('team/b');
  });

  it.each([
    [[], {}, 'at least 1 item in providers is required'],
    [[{ ...provider, name: 'none' }], {}, 'there is no program'],
    [[{ ...provider, name: '../x' }], {}, 'must be a file name'],
    [[{ ...provider, matchImages: [] }], {}, 'matchImages: at least 1 item is required'],
    [[{ ...provider, defaultCacheDuration: 'soon' }], {}, 'must be a duration'],
    [[{ ...provider, apiVersion: 'v1' }], {}, 'apiVersion: must be one of'],
    [[{ ...provider, tokenAttributes: {} }], {}, 'come from an API server'],
    [[{ ...provider, other: 1 }], {}, 'unknown field "other"'],
    [[provider, provider], {}, 'is not unique'],
    [[provider], { kind: 'X' }, 'must be a CredentialProviderConfig'],
  ])('are refused as by a kubelet: %#', (providers, fields, want) => {
    expect(() => read(providers, fields)).toThrow(want);
  });
});
