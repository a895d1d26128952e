// NetworkPolicies in a cluster network: a Pod that 1,000 of them select, beside a Pod that none selects.

import path from 'node:path';
import { commandsOf, pod, textOf, whileItRuns } from '../harness/cluster-run.mjs';
import { timesOfChanges } from '../harness/policy-changes.mjs';
import { interleaved, quantile, samplesOf, single } from '../harness/samples.mjs';

const LOAD = path.join(import.meta.dirname, '../harness/service-load.mjs');
const HTTP_PORT = 8080;
const POLICIES = 1000;
const ROUNDS = 5;
/** The least share of what a Pod without a policy has, in percent. */
const PROMISES = { stream: 95, connections: 75 };
const CHANGES = 50;
/** The time after which a change holds for new connections. */
const CHANGED_WITHIN_MS = 100;
const TASKS = { stream: 'one stream', connections: 'new connections with an HTTP request' };
const UNITS = { stream: 'MB/s', connections: 'a second' };

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const command = commandsOf({ podrun, folder });
  const { findings } = JSON.parse(textOf(command('doctor', '-o', 'json')));
  const works = (feature) => findings.some(({ feature: name, verdict }) => name === feature && verdict === 'yes');
  if (process.platform !== 'linux' || !works('clusterNetworks') || !works('serviceRules')) return [];
  const server = { command: [podrun.node, LOAD, 'server'], readinessProbe: { tcpSocket: { port: HTTP_PORT } } };
  const objects = [
    ...Array.from({ length: POLICIES }, (_, index) => policy(index)),
    pod('open', server),
    pod('closed', server),
    pod('changing', server),
    pod('client', { command: ['sleep', '600'] }),
  ];
  return await whileItRuns({ command, folder, objects, flags: ['--api'] }, async () => {
    const addressOf = (name) => textOf(command('get', 'pod', name, '-o', 'jsonpath={.status.podIP}'));
    const [open, closed] = [addressOf('open'), addressOf('closed')];
    const rows = [];
    for (const task of Object.keys(TASKS)) {
      const words = (host) => command('exec', 'client', '--', podrun.node, LOAD, task, host, `${HTTP_PORT}`);
      const between = (host) => () => Number(textOf(words(host)));
      const measured = await interleaved({ open: between(open), closed: between(closed) }, { rounds: ROUNDS });
      rows.push(share(task, samplesOf(measured.closed).median, samplesOf(measured.open).median));
    }
    const attempts = command(
      'exec',
      'client',
      '--',
      podrun.node,
      LOAD,
      'attempts',
      addressOf('changing'),
      `${HTTP_PORT}`,
    );
    const change = { state: `${folder}/state`, count: CHANGES, policy: changingPolicy, attempts };
    return [...rows, changes((await timesOfChanges(change)).toSorted((a, b) => a - b))];
  });
}

/** The row about the times from a write to its effect. */
function changes(sorted) {
  const [median, most] = [0.5, 1].map((share) => quantile(sorted, share).toFixed(0));
  return {
    name: 'network-policies.change',
    what: `from the write of a NetworkPolicy to its effect on new connections, beside ${POLICIES}: 95 of 100`,
    unit: 'ms',
    better: 'less',
    podrun: single(quantile(sorted, 0.95)),
    promises: [{ atMost: CHANGED_WITHIN_MS }],
    note: `${sorted.length} changes, median ${median} ms, at most ${most} ms`,
  };
}

/** A policy of the Pod `changing` that permits everything, or nothing. */
function changingPolicy(isOpen) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'changing' },
    spec: { podSelector: { matchLabels: { app: 'changing' } }, policyTypes: ['Ingress'], ingress: isOpen ? [{}] : [] },
  };
}

function share(task, part, whole) {
  return {
    name: `network-policies.${task}`,
    what: `${TASKS[task]} to a Pod that ${POLICIES} NetworkPolicies select: of what one without a policy has`,
    unit: '%',
    better: 'more',
    podrun: single((part / whole) * 100),
    promises: [{ atLeast: PROMISES[task] }],
    note: `${part.toFixed(0)} and ${whole.toFixed(0)} ${UNITS[task]}`,
  };
}

/** A policy that permits one more port to the client. */
function policy(index) {
  const from = [{ podSelector: { matchLabels: { app: 'client' } } }];
  const spec = {
    podSelector: { matchLabels: { app: 'closed' } },
    ingress: [{ from, ports: [{ port: 7600 + index }] }],
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `closed-${index}` },
    spec,
  };
}
