import { describe, expect, it } from 'vitest';
import {
  credentialsFor,
  joinedErrors,
  type KeyringEntry,
  matchesImage,
  parseDockerConfig,
} from '../../../src/lifecycle/images/keyring.ts';

it.each([
  ['registry.io', 'registry.io/app', true],
  ['registry.io', 'registry.io:80/app', false],
  ['registry.io:80', 'registry.io:80/app', true],
  ['*.registry.io', 'eu.registry.io/app', true],
  ['*.registry.io', 'registry.io/app', false],
  ['*.registry.io', 'a.eu.registry.io/app', false],
  ['*.*.registry.io', 'a.eu.registry.io/app', true],
  ['prefix.*.io', 'prefix.registry.io/app', true],
  ['reg*str[xyz].io', 'registry.io/app', true],
  ['registr[^y].io', 'registry.io/app', false],
  ['[a-r]egistry.io', 'registry.io/app', true],
  ['[^a-q]e*', 'registry/app', true],
  // A bad range and an open bracket are no error: no host has them.
  ['[z-a]egistry.io', 'registry.io/app', false],
  ['[registry.io', 'registry.io/app', false],
  [`${'*a'.repeat(30)}*`, `${'a'.repeat(29)}/app`, false],
  [`${'*a'.repeat(30)}*`, `${'a'.repeat(31)}/app`, true],
  ['registry.io/team', 'registry.io/team/app', true],
  ['registry.io/team', 'registry.io/teamwork/app', true],
  ['registry.io/team', 'registry.io/other/app', false],
  ['registry.io/*', 'registry.io/team', false],
  ['registry.io:*', 'registry.io:80/app', false],
])('the key %s is for %s: %s', (key, repository, want) => {
  expect(matchesImage(key, repository)).toBe(want);
});

describe('the credentials for a repository', () => {
  const entry = (key: string, username: string): KeyringEntry => ({
    key,
    credential: { username, password: 'x', origin: { type: 'node' } },
  });
  const usersFor = (repository: string, ...keyrings: KeyringEntry[][]): string[] =>
    credentialsFor(repository, keyrings).map(({ username }) => username);

  it('come from the longer keys first, and from the first keyring before any later one', () => {
    const first = [entry('r.io', 'a'), entry('r.io/team', 'b'), entry('other.io', 'c')];
    const second = [entry('https://r.io/v1/', 'd'), entry('r.io', 'e')];
    expect(usersFor('r.io/team/app', first, second)).toEqual(['b', 'a', 'd', 'e']);
  });

  it('of images without a registry are the credentials for index.docker.io', () => {
    const keyring = [entry('https://index.docker.io/v1/', 'hub'), entry('r.io', 'a')];
    expect(usersFor('docker.io/library/nginx', keyring)).toEqual(['hub']);
    expect(usersFor('other.io/nginx', keyring)).toEqual([]);
  });
});

it('the errors of several attempts are reported once each', () => {
  expect(joinedErrors(['a', 'a'])).toBe('a');
  expect(joinedErrors(['a', 'b', 'a'])).toBe('[a, b]');
});

describe('a docker config', () => {
  it.each([
    [{ username: 'u', password: 'p' }, 'u', 'p'],
    [{ auth: btoa('u:p:q') }, 'u', 'p:q'],
    [{ auth: btoa('u:p').replaceAll('=', '') }, 'u', 'p'],
    [{ username: 'other', password: 'other', auth: btoa('u:p') }, 'u', 'p'],
  ])('with %j', (auth, username, password) => {
    const inAuths = parseDockerConfig(JSON.stringify({ auths: { 'r.io': auth } }), 'auths');
    expect(inAuths?.entries['r.io']).toMatchObject({ username, password });
    const bare = parseDockerConfig(JSON.stringify({ 'r.io': auth }), 'bare');
    expect(bare?.entries['r.io']).toMatchObject({ username, password });
  });

  it('may leave the credentials to a program', () => {
    const config = parseDockerConfig('{"auths":{"r.io":{}},"credsStore":"pass","credHelpers":{"a.io":"b"}}', 'auths');
    expect(config).toEqual({ entries: {}, helpers: { 'a.io': 'b' }, store: 'pass', hosts: ['r.io'] });
  });

  it.each(['', '[]', '{"auths":{"r.io":{"auth":"%"}}}', '{"auths":{"r.io":{"auth":"dQ=="}}}'])('is not %j', (text) => {
    expect(parseDockerConfig(text, 'auths')).toBeUndefined();
  });
});
