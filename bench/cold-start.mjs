// What a start of podrun costs, as a multiple of a start of Node that does nothing. The commands take turns, so that a
// busy moment of the machine hits all of them, and medians are compared.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mediansOf } from './medians.mjs';

const PODRUN = fileURLToPath(new URL('../bin/podrun.js', import.meta.url));
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: bench }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: ['true'] }]
`;

/** @returns {Promise<Array<{ what: string, value: number, unit: string, bar: number, detail: string }>>} */
export async function coldStart() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-bench-'));
  const manifest = path.join(folder, 'pod.yaml');
  writeFileSync(manifest, POD);
  const commands = {
    bare: ['-e', '0'],
    version: [PODRUN, 'version'],
    apply: [PODRUN, 'apply', manifest, '--state-dir', path.join(folder, 'state')],
  };
  try {
    const medians = mediansOf(commands);
    const row = (name, what, bar) => ({
      what: `${what} / node -e 0`,
      value: medians[name] / medians.bare,
      unit: ' x',
      bar,
      detail: `${medians[name].toFixed(1)} ms / ${medians.bare.toFixed(1)} ms`,
    });
    return [row('version', 'podrun version', 1.4), row('apply', 'podrun apply of a container running true', 2.2)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
