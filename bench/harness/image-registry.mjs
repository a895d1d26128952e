// A registry with two images of many files, in a process of its own. The second image shares all layers but its last
// one with the first.
//
//   node image-registry.mjs FOLDER FILES BYTES    FILES files of BYTES bytes each, in three layers
//
// Prints its address when it listens. Ends with its standard input.

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ARCHITECTURE, baseFiles, tarOf } from '../../test/conformance/registry.mjs';

const OCI = 'application/vnd.oci.image';
const LAYERS = 3;
/** Half of each line is the same: gzip makes two fifths of it, as of ordinary images. */
const LINE_BYTES = 64;
const POOL_BYTES = 2 ** 20;

const [folder, files, bytes] = [process.argv[2], ...process.argv.slice(3).map(Number)];
mkdirSync(folder, { recursive: true });
const blobs = new Map();
const pool = textPool();

const layers = Array.from({ length: LAYERS }, (_, layer) => put(tarOf(filesOf(layer)), 'layer.v1.tar+gzip'));
const more = put(tarOf({ 'etc/more': 'more' }), 'layer.v1.tar+gzip');
const manifests = { first: manifestOf(layers), second: manifestOf([...layers.slice(0, -1), more]) };

const server = createServer(({ method, url = '' }, answer) => {
  const [, tag] = /\/manifests\/(\w+)$/.exec(url) ?? [];
  const blob = tag === undefined ? blobs.get(url.replace(/^.*\//, '')) : manifests[tag];
  if (url === '/v2/') answer.end();
  else if (blob === undefined) answer.writeHead(404).end();
  else send(blob, method, answer);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`127.0.0.1:${server.address().port}\n`));
process.stdin.resume().on('end', () => process.exit());

function send({ digest, mediaType, size, file }, method, answer) {
  answer.writeHead(200, { 'content-length': size, 'content-type': mediaType, 'docker-content-digest': digest });
  if (method === 'HEAD') answer.end();
  else createReadStream(file, { highWaterMark: 2 ** 20 }).pipe(answer);
}

function textPool() {
  const lines = Array.from({ length: POOL_BYTES / LINE_BYTES }, () => randomBytes(16).toString('hex').padEnd(63, '-'));
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** The files of a layer. The lowest one has the usual programs. */
function filesOf(layer) {
  const count = Math.floor(files / LAYERS);
  const entries = Array.from({ length: count }, (_, number) => {
    const from = (number * 4099) % (pool.length - bytes);
    return [`data/${layer}/${number % 100}/${number}`, { text: pool.subarray(from, from + bytes) }];
  });
  return { ...Object.fromEntries(entries), ...(layer === 0 && baseFiles()) };
}

function put(tar, kind) {
  return { ...keep(gzipSync(tar, { level: 6 }), kind), diffId: digestOf(tar) };
}

function manifestOf(layersOfImage) {
  const rootfs = { type: 'layers', diff_ids: layersOfImage.map(({ diffId }) => diffId) };
  const said = { architecture: ARCHITECTURE, os: 'linux', config: { Cmd: ['true'], Env: ['PATH=/bin'] }, rootfs };
  const config = keep(Buffer.from(JSON.stringify(said)), 'config.v1+json');
  const described = ({ mediaType, digest, size }) => ({ mediaType, digest, size });
  const mediaType = `${OCI}.manifest.v1+json`;
  const manifest = { schemaVersion: 2, mediaType, config: described(config), layers: layersOfImage.map(described) };
  return keep(Buffer.from(JSON.stringify(manifest)), 'manifest.v1+json');
}

function keep(content, kind) {
  const digest = digestOf(content);
  const file = path.join(folder, digest.replace(':', '-'));
  writeFileSync(file, content);
  const blob = { digest, mediaType: `${OCI}.${kind}`, size: content.length, file };
  blobs.set(digest, blob);
  return blob;
}

function digestOf(content) {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
