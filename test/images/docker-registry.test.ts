import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ImageStore } from '../../src/images/store/image-store.ts';
import type { Credential, PullOutcome } from '../../src/lifecycle/base/image-types.ts';
import { PATIENT } from '../patience.ts';
import { archiveOf } from './archive.ts';
import { ARCHITECTURES, pullInto, UNPACKED } from './registry.ts';
import { needs } from '../needs.ts';
import { removeTree } from '../../src/remove-tree.ts';
import { freePort } from '../free-port.ts';

/** Debian's package docker-registry: the reference, in place of the registry of the scenarios. */
const REGISTRY = '/usr/bin/docker-registry';
const OPENSSL = ['/usr/bin/openssl', '/usr/local/bin/openssl'].find((file) => existsSync(file));
const isThere = existsSync(REGISTRY) && OPENSSL !== undefined;
if (!isThere)
  process.stderr.write('SKIPPED: pulls from a real registry: docker-registry or openssl is not installed\n');

/** The password `secret`, as htpasswd(1) writes it. */
const HTPASSWD = 'alice:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n';
const alice: Credential = { username: 'alice', password: 'secret', origin: { type: 'node' } };
const SERVICE = 'registry.example';
const ISSUER = 'issuer.example';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) cleanUp();
});

/** A registry with TLS, in a folder of its own. */
interface RealRegistry {
  readonly folder: string;
  readonly host: string;
  readonly store: ImageStore;
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-registry-'));
  cleanUps.push(() => removeTree(folder));
  const subject = ['-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'ca.pem', ...subject];
  expect(spawnSync(OPENSSL ?? '', args, { cwd: folder }).status).toBe(0);
  return folder;
}

async function startRegistry(folder: string, auth: object): Promise<RealRegistry> {
  const host = `127.0.0.1:${await freePort()}`;
  const tls = { certificate: path.join(folder, 'ca.pem'), key: path.join(folder, 'key.pem') };
  const storage = { filesystem: { rootdirectory: path.join(folder, 'data') } };
  const file = path.join(folder, 'config.yml');
  writeFileSync(file, stringify({ version: 0.1, storage, http: { addr: host, tls }, auth }));
  const child: ChildProcess = spawn(REGISTRY, ['serve', file], { stdio: 'ignore' });
  cleanUps.push(() => child.kill('SIGKILL'));
  await expect.poll(() => request(host, folder, 'GET', '/v2/').catch(() => undefined), PATIENT).toBeDefined();
  return { folder, host, store: new ImageStore(path.join(folder, 'store')) };
}

interface Answer {
  readonly status: number;
  readonly location: string;
}

/** A request of somebody who pushes. */
function request(
  host: string,
  folder: string,
  method: string,
  target: string,
  { body, type, authorization }: { body?: Buffer; type?: string; authorization?: string } = {},
): Promise<Answer> {
  const [hostname, port] = host.split(':');
  const headers = {
    ...(authorization && { authorization }),
    ...(type && { 'content-type': type }),
    'content-length': body?.length ?? 0,
  };
  const ca = readFileSync(path.join(folder, 'ca.pem'));
  return new Promise((resolve, reject) => {
    const sent = https.request({ hostname, port, method, path: target, ca, headers, agent: false }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '' }));
    });
    sent.on('error', reject).end(body);
  });
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const MEDIA = 'application/vnd.docker';

/** Pushes an image with one layer, as docker does. Answers the diff ID of the layer. */
async function push({ host, folder }: RealRegistry, repository: string, authorization: string): Promise<string> {
  const layer = archiveOf([{ name: 'hello', text: 'hello' }]);
  const config = Buffer.from(
    JSON.stringify({
      os: 'linux',
      architecture: ARCHITECTURES[process.arch],
      config: {},
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const blobs = [config, gzipSync(layer)] as const;
  for (const blob of blobs) {
    const begun = await request(host, folder, 'POST', `/v2/${repository}/blobs/uploads/`, { authorization });
    expect(begun.status).toBe(202);
    const { pathname, search } = new URL(begun.location);
    const target = `${pathname}${search}&digest=${encodeURIComponent(digestOf(blob))}`;
    const type = 'application/octet-stream';
    const put = await request(host, folder, 'PUT', target, { body: blob, type, authorization });
    expect(put.status).toBe(201);
  }
  const describe = (blob: Buffer, kind: string): object => ({
    mediaType: `${MEDIA}.${kind}`,
    digest: digestOf(blob),
    size: blob.length,
  });
  const type = `${MEDIA}.distribution.manifest.v2+json`;
  const manifest = {
    schemaVersion: 2,
    mediaType: type,
    config: describe(blobs[0], 'container.image.v1+json'),
    layers: [describe(blobs[1], 'image.rootfs.diff.tar.gzip')],
  };
  const body = Buffer.from(JSON.stringify(manifest));
  const target = `/v2/${repository}/manifests/1`;
  expect((await request(host, folder, 'PUT', target, { body, type, authorization })).status).toBe(201);
  return digestOf(layer);
}

/** Pulls the image with these credentials, trusting the CA of the registry alone. */
function pull({ host, folder, store }: RealRegistry, credentials: readonly Credential[]): Promise<PullOutcome> {
  const caFile = path.join(folder, 'ca.pem');
  const settings = { plainHttp: false, insecureSkipTlsVerify: false, certFile: undefined, keyFile: undefined };
  const registries = { [host]: { ...settings, caFile, mirrors: [] } };
  return pullInto(store, `${host}/team/app:1`, { registries, credentials });
}

const wrong: Credential = { ...alice, password: 'wrong' };

describe(
  'a real registry, with TLS',
  needs({ 'docker-registry': existsSync(REGISTRY), openssl: OPENSSL !== undefined }, UNPACKED),
  () => {
    it('and basic authentication', async () => {
      const folder = newFolder();
      writeFileSync(path.join(folder, 'users'), HTPASSWD);
      const registry = await startRegistry(folder, { htpasswd: { realm: 'basic', path: path.join(folder, 'users') } });
      const authorization = `Basic ${Buffer.from('alice:secret').toString('base64')}`;
      const diffId = await push(registry, 'team/app', authorization);
      const denied = 'pull access denied, repository does not exist or may require authorization';
      expect(await pull(registry, [])).toMatchObject({ errors: [expect.stringContaining(denied)] });
      expect(await pull(registry, [wrong])).toMatchObject({ errors: [expect.stringContaining('401 Unauthorized')] });
      expect(await pull(registry, [wrong, alice])).toMatchObject({ ok: true, credential: 1 });
      expect(registry.store.records()[0]?.diffIds).toEqual([diffId]);
    });

    it('and tokens', async () => {
      const folder = newFolder();
      const realm = await startTokens(folder);
      const token = { realm, service: SERVICE, issuer: ISSUER, rootcertbundle: path.join(folder, 'ca.pem') };
      const registry = await startRegistry(folder, { token });
      const pushing = tokenFor(folder, 'alice', 'repository:team/app:pull,push');
      const diffId = await push(registry, 'team/app', `Bearer ${pushing}`);
      expect(await pull(registry, [])).toMatchObject({ ok: false });
      expect(await pull(registry, [wrong])).toMatchObject({ ok: false });
      expect(await pull(registry, [wrong, alice])).toMatchObject({ ok: true, credential: 1 });
      expect(registry.store.records()[0]?.diffIds).toEqual([diffId]);
    });
  },
);

/** Serves tokens, as the registry's configuration names it. */
async function startTokens(folder: string): Promise<string> {
  const server = createServer((asked, answer) => {
    // Many token servers know no OAuth 2.
    if (asked.method === 'POST') {
      answer.writeHead(405).end();
      return;
    }
    const { searchParams } = new URL(asked.url ?? '', 'http://tokens');
    const basic = /^Basic (.*)$/.exec(asked.headers.authorization ?? '')?.[1];
    const user = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
    if (user !== '' && user !== 'alice:secret') {
      answer.writeHead(401).end();
      return;
    }
    const scope = user === '' ? '' : (searchParams.get('scope') ?? '');
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ token: tokenFor(folder, user.split(':')[0] ?? '', scope), expires_in: 60 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}

/** A signed token with the permissions of a scope. @see distribution, docs/spec/auth/jwt.md */
function tokenFor(folder: string, user: string, scope: string): string {
  const certificate = new X509Certificate(readFileSync(path.join(folder, 'ca.pem')));
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const [type, name, actions = ''] = scope.split(':');
  const access = scope === '' ? [] : [{ type, name, actions: actions.split(',') }];
  const times = { exp: now + 60, nbf: now - 60, iat: now };
  const claims = { iss: ISSUER, sub: user, aud: SERVICE, jti: `${now}`, access, ...times };
  const header = { typ: 'JWT', alg: 'RS256', x5c: [certificate.raw.toString('base64')] };
  const text = `${encode(header)}.${encode(claims)}`;
  const key = createPrivateKey(readFileSync(path.join(folder, 'key.pem')));
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
