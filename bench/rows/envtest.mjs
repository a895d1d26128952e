// A suite of envtest: its start, its CRDs, its end, its memory, suites at once, and events beside responses. The peer
// is a real envtest, where its programs are installed.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { controlPlane } from '../harness/envtest.mjs';
import { interleaved, samplesOf } from '../harness/samples.mjs';

const ROUNDS = 10;
const CRDS = 20;
const WRITES = 1000;
const TOGETHER = 8;
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const VERBS = ['create', 'update', 'patch', 'delete'];

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const env = { XDG_DATA_HOME: path.join(folder, 'data') };
  const command = [podrun.program, 'envtest'];
  const assets = execFileSync(podrun.node, command, { env: { ...process.env, ...env }, encoding: 'utf8' }).trim();
  const real = realAssets();
  let number = 0;
  const nextFolder = () => path.join(folder, String(number++));
  const suites = await interleaved(
    { podrun: () => suite(assets, nextFolder()), envtest: real && (() => suite(real, nextFolder())) },
    { rounds: ROUNDS },
  );
  const together = await atOnce(assets, nextFolder);
  const events = {
    podrun: await eventsOf(assets, nextFolder()),
    envtest: real && (await eventsOf(real, nextFolder())),
  };
  const peer = real && (await atOnce(real, nextFolder));
  return [...ofSuites(suites), ofMany(together, peer), ...ofEvents(events)];
}

/** The folder of the programs of a real envtest. Undefined: there is none. */
function realAssets() {
  const folders = [process.env.KUBEBUILDER_ASSETS, '/usr/local/kubebuilder/bin'];
  return folders.find(
    (folder) => folder && ['etcd', 'kube-apiserver'].every((name) => existsSync(path.join(folder, name))),
  );
}

/** One suite: start, CRDs, end. */
async function suite(assets, folder) {
  const plane = await controlPlane(assets, folder);
  try {
    const { startMs, readyMs } = plane;
    const crdMs = await timeOfCrds(plane);
    const memory = plane.memory() / 1e6;
    return { startMs, readyMs, crdMs, memory, endMs: await plane.stop() };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** Milliseconds for each CRD, until discovery lists it. */
async function timeOfCrds({ call }) {
  const from = performance.now();
  for (let index = 0; index < CRDS; index++) {
    const { code, body } = await call('POST', DEFINITIONS, definition(index));
    if (code !== 201) throw new Error(`a CRD was refused with ${code}: ${body}`);
  }
  for (let index = 0; index < CRDS; index++) while (!(await isServed(call, index)));
  return (performance.now() - from) / CRDS;
}

async function isServed(call, index) {
  const { code, body } = await call('GET', `/apis/bench${index}.io/v1`);
  return code === 200 && JSON.parse(body).resources.some(({ name }) => name === 'things');
}

function definition(index) {
  const fields = Array.from({ length: 30 }, (_, field) => [
    `field${field}`,
    { type: 'string', description: 'a field' },
  ]);
  const spec = { type: 'object', properties: Object.fromEntries(fields) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.bench${index}.io` },
    spec: {
      group: `bench${index}.io`,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Suites that start at the same time. Each has 20 seconds, and the first one that is late is an error. */
async function atOnce(assets, nextFolder) {
  const outcomes = await Promise.allSettled(Array.from({ length: TOGETHER }, () => controlPlane(assets, nextFolder())));
  const planes = outcomes.flatMap(({ value }) => value ?? []);
  await Promise.all(planes.map((plane) => plane.stop()));
  const failed = outcomes.find(({ reason }) => reason !== undefined);
  if (failed !== undefined) throw failed.reason;
  const refused = planes.reduce((sum, plane) => sum + plane.failedChecks, 0);
  return { startMs: samplesOf(planes.map(({ startMs }) => startMs)), refused };
}

/** By verb: the times of events minus the times of the responses to their writes. */
async function eventsOf(assets, folder) {
  const plane = await controlPlane(assets, folder);
  const arrived = new Map();
  let text = '';
  const { body } = await plane.call('GET', `${MAPS}?limit=1`);
  const from = JSON.parse(body).metadata.resourceVersion;
  const watch = await plane.watch(`${MAPS}?watch=1&resourceVersion=${from}`, (piece) => {
    const atMs = performance.now();
    const lines = (text + piece).split('\n');
    text = lines.pop();
    for (const line of lines) {
      const { type, object } = JSON.parse(line);
      arrived.set(`${object.metadata.name} ${type === 'DELETED' ? 'deleted' : object.data.at}`, atMs);
    }
  });
  try {
    const responses = [];
    for (const verb of VERBS) {
      for (let index = 0; index < WRITES; index++) {
        const { key, code, atMs } = await write(plane, verb, `map-${index}`);
        if (code >= 300) throw new Error(`${verb}: ${code}`);
        responses.push({ verb, key, atMs });
      }
    }
    while (arrived.size < WRITES * VERBS.length) await new Promise((resolve) => setTimeout(resolve, 10));
    const differences = (verb) =>
      responses.filter((one) => one.verb === verb).map(({ key, atMs }) => arrived.get(key) - atMs);
    return Object.fromEntries(VERBS.map((verb) => [verb, samplesOf(differences(verb))]));
  } finally {
    watch.destroy();
    await plane.stop();
  }
}

async function write({ call }, verb, name) {
  const map = { metadata: { name }, data: { at: verb } };
  const key = `${name} ${verb === 'delete' ? 'deleted' : verb}`;
  const at = `${MAPS}/${name}`;
  const answer = {
    create: () => call('POST', MAPS, map),
    update: () => call('PUT', at, map),
    patch: () => call('PATCH', at, { data: { at: verb } }, 'application/merge-patch+json'),
    delete: () => call('DELETE', at),
  };
  return { key, ...(await answer[verb]()) };
}

function ofSuites({ podrun, envtest }) {
  const row = (name, what, unit, field, atMost) => ({
    name: `envtest.${name}`,
    what,
    unit,
    better: 'less',
    podrun: samplesOf(podrun.map((one) => one[field])),
    peers: { envtest: envtest ? samplesOf(envtest.map((one) => one[field])) : 'not here' },
    promises: [{ atMost }],
  });
  return [
    row('ready', 'etcd and kube-apiserver, until both are healthy, asked every 100 ms', 'ms', 'readyMs', 400),
    row('start', 'the same with certificates, and until the namespace default is there', 'ms', 'startMs', 500),
    row('crd', `each of ${CRDS} CRDs, until discovery lists it`, 'ms', 'crdMs', 20),
    row('end', 'the end of both by SIGTERM', 'ms', 'endMs', 100),
    row('memory', `resident memory of both, with ${CRDS} CRDs`, 'MB', 'memory', 120),
  ];
}

function ofMany({ startMs, refused }, peer) {
  return {
    name: 'envtest.at-once',
    what: `${TOGETHER} suites that start at once, each`,
    unit: 'ms',
    better: 'less',
    podrun: startMs,
    peers: { envtest: peer?.startMs ?? 'not here' },
    promises: [{ atMost: 20_000 }],
    note: `${refused} health checks refused`,
  };
}

function ofEvents({ podrun, envtest }) {
  return VERBS.map((verb) => ({
    name: `envtest.event-${verb}`,
    what: `the event of each of ${WRITES} writes, after its response`,
    unit: 'ms',
    better: 'less',
    podrun: podrun[verb],
    peers: { envtest: envtest?.[verb] ?? 'not here' },
    promises: [{ atMost: 0 }],
  }));
}
