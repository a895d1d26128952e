import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Container, Pod, PodSpec } from '../../src/api/generated/types.ts';
import { run as runOfLibrary } from '../../src/library/index.ts';
import { PATIENCE_MS } from '../patience.ts';

/** `run()` of the library, which waits with all patience unless a test says how long. */
export const run: typeof runOfLibrary = (manifests, options) =>
  runOfLibrary(manifests, { timeout: PATIENCE_MS, ...options });

/** A Pod with one container that runs a script. */
export function shellPod(
  name: string,
  script: string,
  more: Partial<Container> = {},
  spec: Partial<PodSpec> = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      ...spec,
      containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script], ...more }],
    },
  };
}

/** Makes a Pod ready once a file exists. */
export function readyWith(file: string): Pick<Container, 'readinessProbe'> {
  return { readinessProbe: { exec: { command: ['test', '-e', file] }, periodSeconds: 1 } };
}

/** A new empty folder, removed after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-library-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file in a new folder. */
export function fileWith(name: string, text: string): string {
  const file = path.join(emptyFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** True while a process with this word in its environment runs. */
export function runsWith(word: string): boolean {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(word);
      } catch {
        return false;
      }
    });
}
