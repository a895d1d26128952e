// Runs objects in a cluster network of podrun while something is measured.

import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { written } from './manifests.mjs';
import { started, timeOf } from './processes.mjs';

/**
 * The command lines of podrun with a state folder of its own.
 *
 * @param {import('./shape.mjs').Context} context
 * @returns {(...words: string[]) => string[]}
 */
export function commandsOf({ podrun, folder }) {
  return (...words) => [podrun.node, podrun.program, '--state-dir', `${folder}/state`, ...words];
}

/** Runs the objects until all Pods are Ready and `measured` has resolved, then deletes them. */
export async function whileItRuns({ command, folder, objects, flags = [] }, measured) {
  const file = written(folder, 'services.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const running = started(command('apply', file, '--quiet', '--network', 'cluster', ...flags), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const pods = objects.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => `pod/${metadata.name}`);
    await untilStored(command, pods.at(-1));
    timeOf(command('wait', '--for=condition=Ready', ...pods, '--timeout', '60s'));
    return await measured(running.child);
  } finally {
    await running.stop('SIGINT');
    timeOf(command('delete', '-f', file, '--ignore-not-found'));
  }
}

async function untilStored(command, object) {
  for (let attempts = 0; ; attempts++) {
    try {
      return timeOf(command('get', object));
    } catch (error) {
      if (attempts === 100) throw error;
      await pause(100);
    }
  }
}

/** The output of a command. */
export function textOf([program, ...args], options = {}) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
}

export function pod(name, container, labels = { app: name }) {
  const containers = [{ name: 'main', image: 'node', ...container }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { terminationGracePeriodSeconds: 0, containers },
  };
}

export function service(name, ports, selector = { app: name }) {
  const spec = { selector, ports: ports.map((port) => ({ name: `p${port}`, port })) };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}
