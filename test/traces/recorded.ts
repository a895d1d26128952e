import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Conformance scenarios of which there is a recording of a node of Kubernetes 1.36. */
export const recordedScenarios: readonly string[] = readdirSync(path.join(import.meta.dirname, '../golden/traces'))
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => path.basename(file, '.ndjson'));
