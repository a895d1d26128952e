// The time that a bare start of Node.js takes here, in milliseconds: what tests and scenarios beside each other make of
// it decides how many of them there are. It prints it when it is run.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Measures ten starts without NODE_EXTRA_CA_CERTS, which makes each one of Node 20 longer. Answers the shortest. */
export function startOfNodeMs() {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const starts = Array.from({ length: 10 }, () => {
    const beginMs = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env });
    return performance.now() - beginMs;
  });
  return Math.min(...starts);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(startOfNodeMs());
