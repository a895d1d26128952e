import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Makes podrun throw from a timer and from a promise that nobody waits for, when a file appears: a defect. */
const DEFECT = `
const { existsSync } = require('node:fs');
const timer = setInterval(() => {
  if (!existsSync(process.env.DEFECT_AT) || !process.argv.includes(process.env.DEFECT_IN)) return;
  clearInterval(timer);
  for (let time = 0; time < 2; time += 1) queueMicrotask(() => Promise.reject(new TypeError('lost')));
  setImmediate(() => { throw new Error('broken'); });
}, 10);
timer.unref();
`;

it('a defect is reported once, with a file, and the Pods keep running', async () => {
  const container = {
    name: 'main',
    command: ['sh', '-c', 'touch now; while ! [ -e on ]; do sleep 0.05; done; echo end'],
  };
  const env = defectIn('apply');
  const podrun = workshop.start(
    ['apply', workshop.pod('web', { restartPolicy: 'Never', containers: [container] })],
    env,
  );
  await podrun.until(({ stderr }) => stderr.includes('broken') && stderr.includes('lost'));
  workshop.file('on', '');
  const { exitCode, stdout, stderr } = await podrun.ended;
  expect(stdout).toMatch(/│ main +end\n/);
  // Nothing is wrong with the Pod: the exit code is about podrun.
  expect(exitCode).toBe(1);
  const [, file = ''] =
    /^error: podrun has a defect, and continues: lost\nPlease report it, with what is in (.*)\.$/m.exec(stderr) ?? [];
  expect(readFileSync(file, 'utf8')).toMatch(/^podrun .*\nTypeError: lost\n {4}at /);
  expect(stderr.match(/and continues: lost/g)).toHaveLength(1);
});

it('a defect ends a command without Pods', async () => {
  workshop.file('now', '');
  const podrun = workshop.start(['get', 'pods', '--watch'], defectIn('get'));
  const { exitCode, stderr } = await podrun.ended;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^error: podrun has a defect: (lost|broken)\nPlease report it, with what is in /);
});

/** Makes podrun wait for its output for ever, while nothing is left that could wake it. */
const ENDLESS_WAIT = 'Promise.all = () => new Promise(() => undefined);';

it('a command that waits for nothing is a defect, and no success', async () => {
  const script = workshop.file('endless-wait.cjs', ENDLESS_WAIT);
  const env = { TMPDIR: workshop.folder, NODE_OPTIONS: `--require=${script}` };
  const { exitCode, stderr } = await workshop.start(['version'], env).ended;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('podrun has a defect: the command waits for nothing that could still come');
});

/** Makes podrun throw when it clears up after a container, a step for which the Pod waits. */
const BROKEN_STEP = `
const { toReversed } = Array.prototype;
Array.prototype.toReversed = function () {
  if (this.length > 0 && this.every((each) => typeof each?.prepare === 'function')) throw new TypeError('lost');
  return toReversed.call(this);
};
`;

it.each<[what: string, ...commands: string[][]]>([
  ['that ends', ['sh', '-c', 'echo done']],
  ['whose neighbour keeps running', ['sh', '-c', 'echo done'], ['sleep', '1000']],
])('a defect in a step after a container %s ends its Pod, and apply', async (_what, ...commands) => {
  const containers = commands.map((command, index) => ({ name: `c${index}`, command }));
  const script = workshop.file('broken.cjs', BROKEN_STEP);
  const env = { TMPDIR: workshop.folder, NODE_OPTIONS: `--require=${script}` };
  const { exitCode, stderr, stdout } = await workshop.run(['apply', workshop.pod('web', { containers })], env);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringContaining('done') });
  expect(
    stderr.match(/error: podrun has a defect, and continues: lost\nPlease report it, with what is in /g),
  ).toHaveLength(1);
  const { stdout: pod } = await workshop.run(['get', 'pod', 'web', '-o', 'jsonpath={.status.phase} {.status.reason}']);
  expect(pod).toBe('Failed PodrunDefect');
  expect(workshop.processes()).toEqual([]);
});

/** The environment in which one process of podrun has the defect. */
function defectIn(command: string): Record<string, string> {
  const script = workshop.file('defect.cjs', DEFECT);
  const { folder } = workshop;
  return { TMPDIR: folder, NODE_OPTIONS: `--require=${script}`, DEFECT_AT: `${folder}/now`, DEFECT_IN: command };
}
