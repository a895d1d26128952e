import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Credential, PullOutcome } from '../../src/lifecycle/base/image-types.ts';
import { PullRecords } from '../../src/images/store/pull-records.ts';
import { needs } from '../needs.ts';
import {
  type ImageParts,
  layerOf,
  type OddAnswer,
  type OddRequest,
  openOddRegistry,
  servedImage,
} from './odd-registry.ts';
import { type ImageWorld, openWorld, pullInto, UNPACKED } from './registry.ts';

let world: ImageWorld;
beforeAll(async () => {
  world = await openWorld({ images: {} });
});
afterAll(() => world.close());

const LAYER = layerOf({ name: 'file', text: 'text' });
const alice: Credential = { username: 'alice', password: 's3cret', origin: { type: 'node' } };

/** Pulls an image, and answers the error or `pulled`. */
async function pull(parts: ImageParts, answer?: OddAnswer, credentials: readonly Credential[] = []): Promise<string> {
  const registry = await openOddRegistry(servedImage({ layers: [LAYER], ...parts }), answer);
  onTestFinished(() => registry.close());
  return wordsOf(await pullInto(world.store(), `${registry.host}/app:1`, { credentials }));
}

const wordsOf = (outcome: PullOutcome): string => (outcome.ok ? 'pulled' : outcome.errors.join('\n'));

/** Words that no user should see: the names of Node's errors, stacks, more than one line. */
const UNSEEMLY =
  /TypeError|RangeError|Invalid URL|ERR_|is not a function|undefined|\[object|\n|\p{Cc}| at .*\.[cm]?[jt]s/u;

/** The words, if they are fit for a user. */
function sentence(words: string): string {
  if (UNSEEMLY.test(words)) throw new Error(`this is no sentence for a user: ${JSON.stringify(words)}`);
  return words;
}

type Fields = Record<string, unknown>;
const descriptor = (changes: Fields) => (manifest: Fields) => ({
  ...manifest,
  layers: (manifest['layers'] as Fields[]).map((layer) => ({ ...layer, ...changes })),
});
/** A manifest with a number as it stands in JSON. */
const sized = (size: string) => (manifest: Fields) =>
  JSON.stringify(descriptor({ size: 'SIZE' })(manifest)).replace('"SIZE"', size);
const configured = (changes: Fields) => (manifest: Fields) => ({
  ...manifest,
  config: { ...(manifest['config'] as Fields), ...changes },
});
const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const NO_DIGEST = /a layer has no digest or no size/;
const DAMAGED = /the configuration of the image/;

const MANIFESTS: Record<string, readonly [(manifest: Fields) => unknown, RegExp]> = {
  'a negative size': [sized('-1'), NO_DIGEST],
  'half a byte': [sized('1.5'), NO_DIGEST],
  'a size of 1e400': [sized('1e400'), NO_DIGEST],
  'a size that is not JSON': [sized('NaN'), /manifest sha256:\w+: /],
  'a size in text': [sized('"5"'), NO_DIGEST],
  'a size of 1000 TB': [sized('1000000000000000'), /no space left on device|claims 1000000000000000 bytes/],
  'another size': [sized('5'), /failed size validation/],
  'a layer that is null': [(manifest) => ({ ...manifest, layers: [null] }), NO_DIGEST],
  'layers that are an object': [(manifest) => ({ ...manifest, layers: {} }), /is not supported/],
  'a digest that leads elsewhere': [descriptor({ digest: 'sha256:../../x' }), NO_DIGEST],
  'a digest of another kind': [descriptor({ digest: 'md5:00' }), NO_DIGEST],
  'places of a layer that are a number': [descriptor({ urls: 5, digest: `sha256:${'0'.repeat(64)}` }), NO_DIGEST],
  'a place of a layer that is no URL': [
    descriptor({ urls: ['http://[', 'ftp://127.0.0.1/x', 'file:///etc/passwd'], digest: `sha256:${'0'.repeat(64)}` }),
    /not found|unsupported protocol scheme/,
  ],
  'a media type that is a number': [descriptor({ mediaType: 5 }), NO_DIGEST],
  'a configuration without a digest': [configured({ digest: undefined }), /is not supported/],
  'a configuration of 1000 TB': [
    configured({ size: 1e15 }),
    /the configuration of the image has 1000000000000000 bytes/,
  ],
  'a configuration of another size': [configured({ size: 10_000 }), /failed size validation/],
  'more layers than diff IDs': [
    (manifest) => ({ ...manifest, layers: [1, 2].flatMap(() => manifest['layers']) }),
    /mismatched image rootfs and manifest layers/,
  ],
  'deep JSON': [() => deep, /is not supported|damaged|manifest/],
  'a page of HTML': [() => '<html>\n<body>\nno\n</html>', /manifest sha256:\w+: /],
  nothing: [() => '', /manifest sha256:\w+: /],
  null: [() => 'null', /is not supported/],
  'an index that names itself': [
    () => ({ schemaVersion: 2, manifests: [{ mediaType: 'x', digest: `sha256:${'1'.repeat(64)}`, size: 1 }] }),
    /no match for platform/,
  ],
  'an index of odd platforms': [
    () => ({
      schemaVersion: 2,
      manifests: [null, 5, 'x', { os: 5 }, { os: 'linux', architecture: {}, variant: [] }].map((platform) => ({
        mediaType: 'x',
        digest: `sha256:${'1'.repeat(64)}`,
        size: 1,
        platform,
      })),
    }),
    /no match for platform/,
  ],
};

const CONFIGS: Record<string, readonly [unknown, RegExp]> = {
  null: ['null', DAMAGED],
  'an empty text': ['', DAMAGED],
  'a number': ['5', DAMAGED],
  'a list': ['[]', DAMAGED],
  'deep JSON': [deep, DAMAGED],
  'text that is not UTF-8': ['\uFFFD{', DAMAGED],
  'no rootfs': [{ rootfs: null }, DAMAGED],
  'diff IDs that are a text': [{ rootfs: { diff_ids: 'x' } }, DAMAGED],
  'diff IDs that lead elsewhere': [{ rootfs: { diff_ids: ['sha256:../../../etc'] } }, DAMAGED],
  'a diff ID twice': [{ rootfs: { diff_ids: ['sha256:1', 'sha256:1'] } }, DAMAGED],
};

/** Fields of a configuration with a value of another type. */
const WRONG_FIELDS: readonly Fields[] = [
  { config: 5 },
  { config: { Env: 'A=B' } },
  { config: { Env: [5] } },
  { config: { Cmd: {} } },
  { config: { Entrypoint: 'x' } },
  { config: { User: 5 } },
  { config: { WorkingDir: [] } },
  { config: { StopSignal: {} } },
  { config: { Labels: 'x' } },
  { config: { Labels: { a: 5 } } },
  { architecture: 5 },
  { os: {} },
  { variant: 5 },
  { created: {} },
];

const isOf = (what: string, { path }: OddRequest): boolean => path.includes(`/${what}/`);
/** Answers a request for manifests or blobs. */
const on =
  (what: string, reply: (response: ServerResponse, request: OddRequest) => void): OddAnswer =>
  (request, response) => {
    if (!isOf(what, request)) return false;
    reply(response, request);
    return true;
  };
const redirected = (location: string, what = 'blobs'): OddAnswer =>
  on(what, (response) => response.writeHead(307, { location }).end());
const challenged = (header: string): OddAnswer =>
  on('manifests', (response) => response.writeHead(401, { 'www-authenticate': header }).end());
/** A registry with a token server that answers so. */
const tokens =
  (token: string, status = 200): OddAnswer =>
  ({ path, origin }, response) => {
    if (path.startsWith('/token')) response.writeHead(status, { 'content-type': 'application/json' }).end(token);
    else response.writeHead(401, { 'www-authenticate': `Bearer realm="${origin}/token",service="x"` }).end();
    return true;
  };
const NO_TOKEN = /did not include a token/;

const ANSWERS: Record<string, readonly [OddAnswer, RegExp]> = {
  'a redirect to nowhere': [redirected('http://['), /failed to parse Location header/],
  'a redirect to a port that is none': [redirected('http://127.0.0.1:99999/'), /failed to parse Location header/],
  'a redirect to another protocol': [redirected('ftp://127.0.0.1/x'), /unsupported protocol scheme "ftp"/],
  'a redirect to a file': [redirected('file:///etc/passwd'), /unsupported protocol scheme "file"/],
  'a redirect to data': [redirected('data:text/plain,x'), /unsupported protocol scheme "data"/],
  'a redirect to itself': [redirected('?'), /stopped after 10 redirects/],
  'a redirect of a manifest to itself': [redirected('?', 'manifests'), /stopped after 10 redirects/],
  'a redirect without a place': [on('blobs', (response) => response.writeHead(302).end()), /unexpected status/],
  'a challenge without a realm': [challenged('Bearer'), /no token server/],
  'a challenge with an odd realm': [challenged('Bearer realm="http://[",x'), /no token server/],
  'a challenge with a realm of another protocol': [
    challenged('Bearer realm="ftp://127.0.0.1/"'),
    /unsupported protocol/,
  ],
  'a challenge that ends nowhere': [challenged('Bearer realm="'), /no token server|401/],
  'a challenge of words': [challenged(',,,=== "" \\'), /401 Unauthorized/],
  'a token that is an object': [tokens('{"token":{"a":1}}'), NO_TOKEN],
  'a token that is null': [tokens('null'), NO_TOKEN],
  'a token in text': [tokens('token'), NO_TOKEN],
  'a token with a line break': [tokens('{"token":"a\\r\\nb: c"}'), /invalid header field value for "authorization"/],
  'a token for ever': [tokens('{"token":"a","expires_in":1e400}'), /401|authorization/],
  'a token for less than nothing': [tokens('{"token":"a","expires_in":"-x"}'), /401|authorization/],
  'a token server without a token': [tokens('', 500), /500 Internal Server Error/],
  'a manifest that does not end': [
    on('manifests', (response, { method }) => {
      response.writeHead(200, { 'content-type': 'x' });
      const write = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', write);
      if (method === 'HEAD') response.end();
      else write();
    }),
    /more than 4194304 bytes/,
  ],
  'a layer that breaks off again and again': [
    on(
      'blobs',
      (response) => void response.writeHead(200, { 'content-length': '9999' }).write('x', () => response.destroy()),
    ),
    /unexpected EOF|failed open/,
  ],
  'an answer that is none': [
    on('manifests', (response) => void response.socket?.end('nonsense\r\n\r\n')),
    /failed to do request/,
  ],
  'an answer with the status 999': [
    on('manifests', (response) => response.writeHead(999).end()),
    /unexpected status.*999/,
  ],
  'an answer with another protocol': [
    on('manifests', (response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    }),
    /failed to do request|101/,
  ],
  'a digest in a header that is none': [
    on('manifests', (response) => response.writeHead(200, { 'docker-content-digest': 'x/../y' }).end()),
    /manifest sha256:\w+: /,
  ],
};

describe('a registry with odd responses', needs(UNPACKED), () => {
  it.each(Object.entries(MANIFESTS))('with a manifest with %s: one sentence', async (_, [manifest, expected]) => {
    expect(sentence(await pull({ manifest }))).toMatch(expected);
  });

  it.each(Object.entries(CONFIGS))('with a configuration with %s: one sentence', async (_, [config, expected]) => {
    expect(sentence(await pull({ config: () => config }))).toMatch(expected);
  });

  it.each(WRONG_FIELDS)('with a configuration with a field of a wrong type: %j', async (fields) => {
    const [field = ''] = Object.keys(fields);
    expect(sentence(await pull({ config: (usual) => ({ ...usual, ...fields }) }))).toMatch(
      new RegExp(`damaged: ${field}`),
    );
  });

  it.each(Object.entries(ANSWERS))('with %s: one sentence', async (_, [answer, expected]) => {
    expect(sentence(await pull({}, answer))).toMatch(expected);
    if (expected !== NO_TOKEN) return;
    expect(sentence(await pull({}, answer, [alice]))).toMatch(expected);
  });

  it('with sizes of layers that are here: the image has no more bytes than the disk', async () => {
    const store = world.store();
    const registry = await openOddRegistry(servedImage({ layers: [LAYER] }));
    onTestFinished(() => registry.close());
    const outcome = await pullInto(store, `${registry.host}/app:1`);
    if (!outcome.ok) throw new Error(wordsOf(outcome));
    const { configDigest } = outcome.image;
    const access = { [`${registry.host}/app`]: { nodePodsAccessible: true as const } };
    new PullRecords(store).setAccess(configDigest, access, '2026-01-01T00:00:00Z');
    const liar = await openOddRegistry(servedImage({ layers: [LAYER], manifest: sized('1000000000000000') }));
    onTestFinished(() => liar.close());
    expect(sentence(wordsOf(await pullInto(store, `${liar.host}/app:1`)))).toMatch(/claims 1000000000000000 bytes/);
  });

  it.each([
    ['127.0.0.1:99999/app:1', /failed to do request|invalid/],
    ['[::1/app:1', /invalid/],
    ['a..b/app:1', /.+/],
    ['127.0.0.1:0/app:1', /failed to do request/],
  ])('under the name %s: one sentence', async (name, expected) => {
    expect(sentence(wordsOf(await pullInto(world.store(), name)))).toMatch(expected);
  });

  it('with 600 layers: one sentence', async () => {
    const layers = Array.from({ length: 600 }, (_, index) => layerOf({ name: `file-${index}`, text: 'x' }));
    expect(sentence(await pull({ layers }))).toMatch(/the image has 600 layers, and overlayfs takes no more than 500/);
  });
});
