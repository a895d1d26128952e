// A small aggregated API server: the kind Coat of wardrobe.example.com/v1, in memory. It believes X-Remote headers from
// a client with a certificate of the front proxy's CA alone. Started as a program, it reads what it needs from its
// environment: CERT, KEY, CLIENT_CA (PEM) and PORT.

import { createServer } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const GROUP = 'wardrobe.example.com';
const ROOT = `/apis/${GROUP}/v1`;
const COATS = new RegExp(`^${ROOT}/namespaces/([^/]+)/coats(?:/([^/]+))?$`);
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'];

const DISCOVERY = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [
    { name: 'coats', singularName: 'coat', namespaced: true, kind: 'Coat', verbs: VERBS, shortNames: ['ct'] },
    { name: 'coats/status', singularName: '', namespaced: true, kind: 'Coat', verbs: ['get', 'update'] },
  ],
};
const REFERENCE = { allOf: [{ $ref: '#/components/schemas/com.example.wardrobe.v1.CoatSpec' }] };
const COAT = {
  type: 'object',
  properties: { spec: REFERENCE },
  'x-kubernetes-group-version-kind': [{ group: GROUP, version: 'v1', kind: 'Coat' }],
};
const COAT_SPEC = { type: 'object', properties: { size: { type: 'integer' } } };
const DOCUMENT = {
  openapi: '3.0.0',
  info: { title: 'wardrobe', version: 'v1' },
  paths: {
    [`${ROOT}/coats`]: {
      get: { operationId: 'listCoats', responses: { 200: { description: 'OK' }, 401: { description: 'Who?' } } },
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
    },
    '/api/v1/pods': {},
  },
  components: {
    schemas: {
      'com.example.wardrobe.v1.Coat': COAT,
      'com.example.wardrobe.v1.CoatSpec': COAT_SPEC,
      'io.k8s.api.core.v1.Pod': {},
    },
  },
};

/** Serves coats. The result has the state, the requests that came, and `close`. */
export function serveWardrobe({ cert, key, clientCa }) {
  const coats = new Map();
  const watches = new Set();
  const requests = [];
  const state = { discoveryCode: 200 };
  const tell = (type, object) => {
    for (const response of watches) response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const answer = (response, code, body) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const remove = (each) => {
    coats.delete(`${each.metadata.namespace}/${each.metadata.name}`);
    tell('DELETED', each);
  };
  const create = (namespace, text, response) => {
    const given = JSON.parse(text);
    const coat = { ...given, kind: 'Coat', apiVersion: `${GROUP}/v1`, metadata: { ...given.metadata, namespace } };
    coats.set(`${namespace}/${coat.metadata.name}`, coat);
    tell('ADDED', coat);
    answer(response, 201, coat);
  };
  const onCoats = (request, response, [, namespace, name], text) => {
    const here = [...coats.values()].filter(({ metadata }) => metadata.namespace === namespace);
    const chosen = here.filter(({ metadata }) => name === undefined || metadata.name === name);
    if (request.method === 'POST') return create(namespace, text, response);
    if (request.method === 'DELETE') {
      for (const each of chosen) remove(each);
      return answer(response, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
    }
    if (new URL(request.url, 'https://x').searchParams.has('watch')) {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      watches.add(response);
      return response.once('close', () => watches.delete(response));
    }
    if (name === undefined) return answer(response, 200, { kind: 'CoatList', apiVersion: `${GROUP}/v1`, items: here });
    if (chosen.length === 0) return answer(response, 404, { kind: 'Status', code: 404, message: 'no such coat' });
    return answer(response, 200, chosen[0]);
  };
  const pages = {
    [ROOT]: () => [state.discoveryCode, DISCOVERY],
    '/openapi/v3': () => [200, { paths: { [`apis/${GROUP}/v1`]: { serverRelativeURL: `/openapi/v3${ROOT}?hash=A` } } }],
    [`/openapi/v3${ROOT}`]: () => [200, DOCUMENT],
    [`${ROOT}/whoami`]: (request) => [200, remoteOf(request)],
  };
  const server = createServer({ cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: false });
  server.on('request', (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => (text += piece));
    request.on('end', () => {
      const [place] = request.url.split('?', 1);
      requests.push({ method: request.method, url: request.url, ...remoteOf(request) });
      const { authorized } = request.socket;
      if (!authorized) return answer(response, 401, { kind: 'Status', code: 401, message: 'no front proxy' });
      const match = COATS.exec(place);
      if (match !== null) return onCoats(request, response, match, text);
      return answer(response, ...(pages[place]?.(request) ?? [404, { kind: 'Status', code: 404 }]));
    });
  });
  server.on('upgrade', (request, socket) => {
    if (!request.url.endsWith('/echo')) {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.write(`for ${String(request.headers['x-remote-user'])}\n`);
    socket.on('data', (piece) => socket.write(piece)).on('error', () => socket.destroy());
    socket.on('end', () => socket.end());
  });
  return {
    server,
    state,
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function remoteOf({ socket, headersDistinct }) {
  const entries = Object.entries(headersDistinct).filter(([name]) =>
    /^(x-remote-|authorization|impersonate)/.test(name),
  );
  return { proxy: socket.getPeerCertificate()?.subject?.CN, remote: Object.fromEntries(entries) };
}

if (path.resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const { CERT: cert, KEY: key, CLIENT_CA: clientCa, PORT } = process.env;
  serveWardrobe({ cert, key, clientCa }).server.listen(Number(PORT));
}
