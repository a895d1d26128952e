// The times from the write of a NetworkPolicy to its effect on new connections, end to end.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { started } from './processes.mjs';

/** Changes do not begin in step with anything in podrun that waits. */
const PAUSE_MS = 40;

/**
 * Milliseconds from before the write of a policy to the first attempt that it judges, for changes in turn to closed and
 * to open.
 *
 * @param {{ state: string, count: number, policy: (isOpen: boolean) => object, attempts: string[] }} change
 *   `state` is the folder of a podrun with an API server, `attempts` a command that prints the time and the outcome of
 *   each attempt whose outcome differs from the one before
 * @returns {Promise<number[]>}
 */
export async function timesOfChanges({ state, count, policy, attempts }) {
  const write = writerOf(state);
  const watcher = started(attempts);
  const outcomes = outcomesOf(watcher.child.stdout);
  try {
    await outcomes.until('open');
    await write('POST', policy(true));
    const times = [];
    for (let index = 0; index < count; index++) {
      await pause(PAUSE_MS + ((index * 7) % PAUSE_MS));
      const isOpen = index % 2 === 1;
      const beganMs = performance.timeOrigin + performance.now();
      const [changedMs] = await Promise.all([outcomes.until(isOpen ? 'open' : 'closed'), write('PUT', policy(isOpen))]);
      times.push(Math.max(changedMs - beganMs, 0));
    }
    return times;
  } finally {
    await watcher.stop('SIGKILL');
  }
}

/** Resolves with the time of the next line that has an outcome. */
function outcomesOf(stdout) {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async until(wanted) {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error('the attempts have ended');
        const [ms, outcome] = value.split(' ');
        if (outcome === wanted) return Number(ms);
      }
    },
  };
}

/** Writes policies by the API server of a state folder. */
function writerOf(state) {
  const { clusters, users } = JSON.parse(readFileSync(`${state}/.server/kubeconfig`, 'utf8'));
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const headers = { authorization: `Bearer ${users[0].user.token}`, 'content-type': 'application/json' };
  const all = `${server}/apis/networking.k8s.io/v1/namespaces/default/networkpolicies`;
  return (method, policy) =>
    new Promise((resolve, reject) => {
      const url = method === 'POST' ? all : `${all}/${policy.metadata.name}`;
      const sent = request(url, { method, headers, ca: Buffer.from(ca, 'base64') }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode < 300) resolve();
          else reject(new Error(`${method} ${url}: ${response.statusCode}`));
        });
      });
      sent.on('error', reject).end(JSON.stringify(policy));
    });
}
