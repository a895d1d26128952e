// Starts `podrun serve`, and speaks to it as a client with connections that stay open.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { started, timeOf, usageOf } from './processes.mjs';

const CONNECTIONS = 10;
/** Pods, and the workloads that make them. */
const ROOTS = ['cronjobs,deployments,pods'];

/**
 * Starts a server with a state folder of its own, and resolves when `/readyz` responds.
 *
 * @param {import('./shape.mjs').Podrun} podrun
 * @param {string} state the state folder
 * @param {string[]} [nodeFlags] flags of Node.js: with some, the server has a channel for messages to what they load
 */
export async function apiServer(podrun, state, nodeFlags = []) {
  const command = (...words) => [podrun.node, ...nodeFlags, podrun.program, ...words, '--state-dir', state];
  const beganMs = performance.now();
  const running = started(command('serve', '--network', 'host', '--runtime', 'process', '--quiet'), {
    stdio: ['ignore', 'pipe', 'inherit', ...(nodeFlags.length > 0 ? ['ipc'] : [])],
  });
  await new Promise((resolve, reject) => {
    running.child.stdout.once('data', resolve);
    void running.ended.then((how) => reject(new Error(`podrun serve ended: ${how}`)));
  });
  const client = clientOf(path.join(state, '.server', 'kubeconfig'));
  await client.call('GET', '/readyz');
  return {
    ...client,
    /** Asks what the flags of Node.js have loaded into the server. */
    ask: async (question) => {
      running.child.send(question);
      return (await once(running.child, 'message'))[0];
    },
    pid: running.child.pid,
    startMs: performance.now() - beganMs,
    /** Processor time in milliseconds, and resident memory in bytes. */
    usage: () => {
      const { cpuSeconds, rssBytes } = usageOf(running.child.pid);
      return { cpuMs: cpuSeconds * 1000, rssBytes };
    },
    /** Ends the Pods and the server. */
    stop: async () => {
      client.close();
      const [node, ...rest] = command(
        'delete',
        ...ROOTS,
        '--all',
        '--all-namespaces',
        '--force',
        '--grace-period',
        '0',
      );
      timeOf([node, ...rest.slice(nodeFlags.length)]);
      await running.stop();
    },
  };
}

function clientOf(kubeconfig) {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'));
  const { server, 'certificate-authority-data': certificate } = clusters[0].cluster;
  const ca = Buffer.from(certificate, 'base64');
  const agent = new Agent({ ca, keepAlive: true, maxSockets: CONNECTIONS });
  const watches = new Agent({ ca });
  const authorization = `Bearer ${users[0].user.token}`;
  const open = (method, target, onResponse, { body, from = agent, type = 'application/json' } = {}) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    // Node.js sends the body of a DELETE without its length.
    const about = text === '' ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
    const sent = request(server + target, { method, headers: { authorization, ...about }, agent: from }, onResponse);
    sent.end(text);
    return sent;
  };
  const call = (method, target, body, type) =>
    new Promise((resolve, reject) => {
      const onResponse = (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          if (response.statusCode < 300) resolve(text);
          else reject(new Error(`${method} ${target}: ${response.statusCode} ${text}`));
        });
      };
      open(method, target, onResponse, { body, type }).on('error', reject);
    });
  return {
    /** The address and credentials of the server for other processes. */
    address: { server, ca: ca.toString() },
    /** The text of an answer. */
    call,
    patch: (target, body) => call('PATCH', target, body, 'application/merge-patch+json'),
    /** Calls back with each piece of a watch, which has a connection of its own. Resolves when it has begun. */
    watch: (target, onPiece) =>
      new Promise((resolve, reject) => {
        const sent = open('GET', target, (response) => resolve(response.on('data', onPiece)), { from: watches });
        sent.on('error', reject);
      }),
    close: () => {
      agent.destroy();
      watches.destroy();
    },
  };
}
