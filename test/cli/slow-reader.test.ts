import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const LINES = 20_000;
const script = `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i+1)); done`;
const talkative = { restartPolicy: 'Never' as const, containers: [{ name: 'main', command: ['sh', '-c', script] }] };

it('apply hands all it has to say to a reader that begins late', async () => {
  const podrun = workshop.start(['apply', workshop.pod('talkative', talkative)]);
  podrun.pauseStdout();
  await workshop.run(['wait', 'pod/talkative', '--for=create']);
  await workshop.run(['wait', 'pod/talkative', '--for=jsonpath={.status.phase}=Succeeded']);
  podrun.resumeStdout();
  const { exitCode, stdout } = await podrun.ended;
  expect(exitCode).toBe(0);
  expect(stdout.match(/line \d+$/gm)).toHaveLength(LINES);
});

it.each([['version'], ['get', 'pods', '-A'], ['apply', '--dry-run', '-o', 'yaml', 'pod.yaml']])(
  '%s does not mind when nobody reads',
  async (...args) => {
    workshop.pod('pod', talkative);
    const podrun = workshop.start(args);
    podrun.closeStdout();
    expect((await podrun.ended).stderr).not.toContain('defect');
  },
);
