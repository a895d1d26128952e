// Sends a server requests that no client should send: `node test/server/requests.mjs KUBECONFIG [COUNT] [SEED]`.
// Fails when the server stops to answer, or shows a stack trace.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { connect } from 'node:tls';

/** Numbers from 0 to 1 that follow from a seed: mulberry32. */
function numbersOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const METHODS = ['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'get'];
const TYPES = [
  'application/json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  'text/plain',
  ';;;',
];
const ACCEPTS = [
  '*/*',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v9;g=x',
  'text/html',
  ',,;=',
  '',
];
const WORDS = [
  'api',
  'apis',
  'v1',
  'apps',
  'namespaces',
  'default',
  'pods',
  'configmaps',
  'deployments',
  'nodes',
  'log',
  'exec',
  'scale',
  'status',
  'proxy',
  'x',
  '..',
  '.',
  '',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  '%ff',
  'a'.repeat(400),
  '__proto__',
  'constructor',
  'toString',
  'ü',
  '*',
  ':name',
  'openapi',
  'v3',
  'healthz',
  'customresourcedefinitions',
  'apiextensions.k8s.io',
  'secrets',
  'token',
  'binding',
  'eviction',
  'portforward',
];
const PATHS = [
  '/api/v1/pods',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/deployments/x/scale',
  '/api/v1/namespaces/default/pods/x/log',
  '/api/v1/namespaces/default/pods/x/exec',
  '/api/v1/nodes',
  '/api/v1/namespaces/x/finalize',
  '/openapi/v3',
  '/apis',
  '/version',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/api/v1/namespaces/default/services/kubernetes/proxy/',
  '/api/v1/namespaces/default/serviceaccounts/default/token',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
];
const QUERIES = [
  'watch=true&timeoutSeconds=1',
  'watch=1&timeoutSeconds=-1',
  'watch=1&timeoutSeconds=1&resourceVersion=99999999999999999999',
  'resourceVersion=abc',
  'limit=-1',
  'limit=1e9',
  'limit=x',
  'continue=%00',
  'continue=e30',
  'labelSelector=((',
  'labelSelector=a%20in%20(',
  'fieldSelector=metadata.name%3D',
  'fieldSelector=x%3Dy',
  'dryRun=All',
  'dryRun=x',
  'fieldManager=' + 'm'.repeat(200),
  'fieldValidation=Strict',
  'force=maybe',
  'pretty=true',
  'includeObject=x',
  'sendInitialEvents=true',
  'gracePeriodSeconds=-9',
  'propagationPolicy=x',
  '%',
  '&&&=',
  'a'.repeat(3000),
];
const HEADS = [
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13',
  'Upgrade: SPDY/3.1\r\nConnection: Upgrade\r\nX-Stream-Protocol-Version: v4.channel.k8s.io',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
  'Transfer-Encoding: chunked',
  'Content-Length: 99999999',
  'Content-Length: -1',
  'Expect: 100-continue',
  'Origin: https://evil.example',
  'Host: evil.example',
  `X-Long: ${'x'.repeat(70_000)}`,
  Array.from({ length: 300 }, (_, index) => `X-${index}: y`).join('\r\n'),
  'Authorization: Bearer wrong',
  'Authorization: Basic eDp5',
  'Accept-Encoding: gzip',
  'If-None-Match: "x"',
];

/** A request as bytes. Never one that keeps the server busy for long. */
function requestOf(random, token) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const path =
    random() < 0.6
      ? pick(PATHS)
      : `/${Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(WORDS)).join('/')}`;
  const query = random() < 0.5 ? `?${pick(QUERIES)}` : '';
  const body = random() < 0.5 ? bodyOf(random, pick) : Buffer.alloc(0);
  const lines = [
    `${pick(METHODS)} ${path}${query} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Content-Type: ${pick(TYPES)}`,
    `Accept: ${pick(ACCEPTS)}`,
    'Connection: close',
    ...(random() < 0.85 ? [`Authorization: Bearer ${token}`] : []),
    ...(random() < 0.25 ? [pick(HEADS)] : [`Content-Length: ${body.length}`]),
  ];
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const all = Buffer.concat([text, body]);
  // Some break off, and some are damaged.
  if (random() < 0.1) return all.subarray(0, Math.floor(random() * all.length));
  if (random() < 0.1) all[Math.floor(random() * all.length)] = Math.floor(random() * 256);
  return all;
}

function bodyOf(random, pick) {
  const deep = 10 ** (1 + Math.floor(random() * 4));
  const texts = [
    '{',
    '[]',
    'null',
    '1',
    '"x"',
    '{"metadata":null}',
    '{"metadata":{"name":1}}',
    '{"metadata":{"name":"a","labels":[]}}',
    '{"kind":"Pod","apiVersion":"v1","spec":7}',
    '{"metadata":{"name":"__proto__"},"data":{"__proto__":"x","constructor":"y"}}',
    '{"metadata":{"generateName":"x"},"data":{"a":"b"}}',
    '{"spec":{"replicas":1e99}}',
    '[{"op":"add","path":"/__proto__/x","value":1}]',
    '[{"op":"test"}]',
    '[{"op":"copy","from":"/a/b/c","path":"/-"}]',
    '{"$patch":"delete"}',
    '{"metadata":{"managedFields":[{}]}}',
    '['.repeat(deep) + ']'.repeat(deep),
    '{"a":'.repeat(deep) + '1' + '}'.repeat(deep),
    `a: &a [x]\nb: [${'*a,'.repeat(500)}]`,
    '- - - - ?',
    `"${'\\u0000'.repeat(100)}"`,
  ];
  if (random() < 0.2)
    return Buffer.from([0x6b, 0x38, 0x73, 0x00, ...Array.from({ length: 60 }, () => Math.floor(random() * 256))]);
  return Buffer.from(pick(texts));
}

/** Sends bytes, and resolves with the answer when the server ends the connection, or the time is over. */
function send({ host, port, ca }, bytes, halfCloses) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host, port, ca, servername: 'localhost' }, () => {
      if (halfCloses) socket.end(bytes);
      else socket.write(bytes);
    });
    const over = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(over, 1500);
    socket.on('data', (piece) => (answer += piece));
    socket.on('error', over).on('close', over);
  });
}

/**
 * Sends requests, several at a time. Answers what is wrong.
 * @param server `host`, `port`, `ca`, `token`
 */
export async function sendBadRequests(server, { count, seed }) {
  const random = numbersOf(seed);
  const found = [];
  let sent = 0;
  const worker = async () => {
    while (sent++ < count) {
      const bytes = requestOf(random, server.token);
      const answer = await send(server, bytes, random() < 0.1);
      if (/\n\s+at \S+ \(|\.cjs:\d+|node:internal|"code":500/.test(answer))
        found.push(`${bytes.toString('latin1', 0, 300)}\n→ ${answer.slice(0, 600)}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const alive = await send(
    server,
    Buffer.from('GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    false,
  );
  if (!alive.endsWith('ok')) found.push(`the server does not answer any more: ${alive}`);
  return found;
}

/** The address of the server of a kubeconfig. */
export function serverOf(kubeconfig) {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'));
  const url = new URL(clusters[0].cluster.server);
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString();
  return { host: url.hostname, port: Number(url.port), ca, token: users[0].user.token };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , kubeconfig, count = '10000', seed = '1'] = process.argv;
  const found = await sendBadRequests(serverOf(kubeconfig), { count: Number(count), seed: Number(seed) });
  for (const each of found.slice(0, 20)) console.log(`${each}\n`);
  console.log(`${count} requests, ${found.length} faults`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
