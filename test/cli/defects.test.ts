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

it('a defect is told once, with a file, and the Pods go on', async () => {
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
  expect(stdout).toContain('main | end\n');
  // Nothing is wrong with the Pod: the exit code is about podrun.
  expect(exitCode).toBe(1);
  const [, file = ''] =
    /^error: podrun has a defect, and goes on: lost\nPlease report it, with what is in (.*)\.$/m.exec(stderr) ?? [];
  expect(readFileSync(file, 'utf8')).toMatch(/^podrun .*\nTypeError: lost\n {4}at /);
  expect(stderr.match(/and goes on: lost/g)).toHaveLength(1);
});

it('a defect ends a command without Pods', async () => {
  workshop.file('now', '');
  const podrun = workshop.start(['get', 'pods', '--watch'], defectIn('get'));
  const { exitCode, stderr } = await podrun.ended;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^error: podrun has a defect: (lost|broken)\nPlease report it, with what is in /);
});

/** The environment in which one process of podrun has the defect. */
function defectIn(command: string): Record<string, string> {
  const script = workshop.file('defect.cjs', DEFECT);
  const { folder } = workshop;
  return { TMPDIR: folder, NODE_OPTIONS: `--require=${script}`, DEFECT_AT: `${folder}/now`, DEFECT_IN: command };
}
