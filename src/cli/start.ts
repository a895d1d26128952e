// The entry of the program: calls the command line with this process, and ends the process.

import path from 'node:path';
import { EXIT } from '../api/index.ts';
import { callOfPodrun } from '../build-file.ts';
import { SystemClock } from '../clock.ts';
import { hasDefects, tellDefects } from '../defect-file.ts';
import { main } from './main.ts';
import { Output } from './base/output.ts';
import type { Process } from './base/process.ts';
import { reportError, textForUser } from './base/report-error.ts';
import { leaveDeadTerminal, StandardStream } from './output/standard-stream.ts';

/** The seconds below which a command does not look for a dead terminal: the code for that takes 4 ms to load. */
const BRIEF_S = 1;

let hasOutputFailed = false;
const stderr = new StandardStream('stderr');
const stdout = new StandardStream('stdout', (reason) => {
  hasOutputFailed = true;
  stderr.write(`error: cannot write to standard output: ${reason}\n`);
});
const thisProcess: Process = {
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  signals: process,
  clock: new SystemClock(),
  env: process.env,
  folder: path.dirname(import.meta.filename),
  get cwd() {
    return process.cwd();
  },
  podrun: callOfPodrun(),
};

process.on('exit', () => {
  if (!stdout.isUntouched || !stderr.isUntouched || process.uptime() >= BRIEF_S) leaveDeadTerminal();
});
// Reports a defect in a short message: Node would print a page of bundled code.
const messages = new Output(stderr, { breaksMessages: true });
const fail = (defect: unknown): never => process.exit(reportError(messages, defect));
tellDefects({ write: (text) => messages.write(text), fail, textForUser });
// Node ends a process with code 0 when nothing is left that could wake it: a command that still waits has not
// succeeded.
process.once('beforeExit', () => fail(new Error('the command waits for nothing that could still come')));
main(process.argv.slice(2), thisProcess)
  .then(async (exitCode) => {
    await Promise.all([stdout.flush(), stderr.flush()]);
    const isUnseen = exitCode === EXIT.ok || exitCode === EXIT.readerGone;
    process.exit((isUnseen && hasOutputFailed) || (exitCode === EXIT.ok && hasDefects()) ? EXIT.failed : exitCode);
  })
  .catch(fail);
