// An adapter for custom metrics: the length of each queue is what LENGTH says. CERT and KEY are in PEM.

import { createServer } from 'node:https';

const { CERT: cert, KEY: key, LENGTH: value, POD_IP: host, PORT: port } = process.env;
const ROOT = '/apis/custom.metrics.k8s.io/v1beta1';

const DISCOVERY = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'custom.metrics.k8s.io/v1beta1',
  resources: [{ name: 'services/length', singularName: '', namespaced: true, kind: 'MetricValueList', verbs: ['get'] }],
};

function lengthOf(namespace, name) {
  const describedObject = { kind: 'Service', namespace, name, apiVersion: 'v1' };
  const item = { describedObject, metricName: 'length', timestamp: new Date().toISOString(), value };
  return { kind: 'MetricValueList', apiVersion: 'custom.metrics.k8s.io/v1beta1', metadata: {}, items: [item] };
}

createServer({ cert, key }, (request, response) => {
  const [place] = request.url.split('?', 1);
  const [, namespace, name] = /\/namespaces\/([^/]+)\/services\/([^/]+)\/length$/.exec(place) ?? [];
  const body = name === undefined ? DISCOVERY : lengthOf(namespace, name);
  if (name !== undefined) console.log(`asked for ${name}`);
  const isKnown = name !== undefined || place === ROOT;
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isKnown ? body : { kind: 'Status', status: 'Failure', code: 404 }));
}).listen(Number(port), host);
