/*
 * The program of the process that stands for etcd. The build makes one file of it, dist/etcd.cjs, which the launcher
 * runs in place of the command line. It listens before it loads the server, which takes longer than the rest: envtest
 * looks every 100 ms whether etcd is healthy, and only then starts kube-apiserver.
 */

import { writeSync } from 'node:fs';
import path from 'node:path';
import { errorText, EXIT, PodrunError } from '../../api/index.ts';
import { SystemClock } from '../../clock.ts';
import { defectReport, tellDefects } from '../../defect-file.ts';
import { quietly } from '../../quietly.ts';
import { fileTrouble, isDiskTrouble } from '../../runtime/index.ts';
import { modeIn } from '../base/mode.ts';
import { readEtcdFlags } from './etcd-flags.ts';
import { openHealthServer } from './health-server.ts';
import { MeetingPlace } from './meeting-place.ts';

/** The descriptor of standard error. */
const STANDARD_ERROR = 2;

const write = (text: string): void => void quietly(() => writeSync(STANDARD_ERROR, text));

/** The lines about an error that is no defect. Undefined for a defect. */
function textForUser(error: unknown): string | undefined {
  if (error instanceof PodrunError) return errorText(error);
  return isDiskTrouble(error) ? `error: ${fileTrouble(error)}\n` : undefined;
}

function fail(error: unknown): never {
  write(textForUser(error) ?? defectReport(error));
  process.exit(error instanceof PodrunError ? error.exitCode : EXIT.failed);
}

async function run(signal: Promise<void>): Promise<void> {
  const mode = modeIn(process.env);
  const { url, dataDir } = readEtcdFlags(process.argv.slice(3));
  const health = await openHealthServer(url);
  // A kube-apiserver waits there until the server is loaded.
  const meeting = new MeetingPlace(health.port);
  try {
    const { runEtcd } = await import('./run-etcd.ts');
    const descriptionsFile = path.join(path.dirname(import.meta.filename), 'descriptions.json');
    await runEtcd({ dataDir, meeting, mode, clock: new SystemClock(), env: process.env, descriptionsFile, signal });
  } finally {
    meeting.close();
    health.close();
  }
}

tellDefects({ write, fail, textForUser });
const signal = new Promise<void>((resolve) => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => resolve());
});
run(signal).then(() => process.exit(EXIT.ok), fail);
