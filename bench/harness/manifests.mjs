// Manifests as a user would write them.

import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The YAML of a Pod.
 *
 * @param {string} name
 * @param {{ containers: object[], initContainers?: object[], [field: string]: unknown }} spec  values as in JSON
 */
export function podYaml(name, { containers, initContainers = [], ...spec }) {
  const fields = Object.entries(spec).map(([field, value]) => `  ${field}: ${JSON.stringify(value)}\n`);
  const list = (field, all) => `  ${field}:\n${all.map(containerYaml).join('')}`;
  const inits = initContainers.length > 0 ? list('initContainers', initContainers) : '';
  const head = `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n`;
  return `${head}${fields.join('')}${inits}${list('containers', containers)}`;
}

/** The YAML of several documents in one file. */
export function manyYaml(documents) {
  return documents.join('---\n');
}

/** The YAML of a Pod that runs one command to its end. */
export function oneShotYaml(name, command = ['true'], image = 'busybox') {
  return podYaml(name, { restartPolicy: 'Never', containers: [{ name: 'main', image, command }] });
}

/**
 * Writes a file.
 * @returns {string} its path
 */
export function written(folder, name, text) {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

function containerYaml(container) {
  const lines = Object.entries(container).map(([field, value]) => `${field}: ${JSON.stringify(value)}\n`);
  return `  - ${lines.join('    ')}`;
}
