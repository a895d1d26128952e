import { describe, expect, it } from 'vitest';
import type { ProbeOutcome } from '../../src/kubelet/probe/prober.ts';
import type { Probe } from '../../src/api/generated/types.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { closedPort, httpServer, tcpServer } from './local-servers.ts';
import { journalled } from './probing.ts';

/** The facts that the journal has beside the text of the events. */
async function answerTo(probe: Probe): Promise<Pick<ProbeOutcome, 'answer'> & { timedOut?: boolean }> {
  const { result: _result, output: _output, ...rest } = { timedOut: false, ...(await journalled(probe)) };
  return rest;
}

describe('the answer to a probe', () => {
  it.each([0, 3])('of a command is its exit code: %i', async (exitCode) => {
    const exec = (): ReturnType<SimulatedRuntime['exec']> =>
      Promise.resolve({ type: 'exited', exitCode, stdout: '', stderr: '' });
    expect(await journalled({ exec: { command: ['check'] } }, { exec })).toMatchObject({ answer: { exitCode } });
  });

  it('of a command that is not done in time is none', async () => {
    const clock = new ManualClock();
    const runtime = new SimulatedRuntime({ clock, behaveExec: () => ({ afterMs: 5000 }) });
    const exec = (argv: [string, ...string[]], timeoutMs: number): ReturnType<SimulatedRuntime['exec']> =>
      runtime.exec({ id: '1', argv, env: {}, cwd: '/', timeoutMs, maxOutputBytes: 0 });
    const outcome = journalled({ exec: { command: ['check'] }, timeoutSeconds: 2 }, { exec, clock });
    await clock.run(2000);
    expect(await outcome).toEqual({ result: 'failure', timedOut: true, output: expect.any(String) });
  });

  it.each([204, 302, 500])('of an HTTP server is its status: %i', async (status) => {
    const port = await httpServer((_, response) => response.writeHead(status).end());
    expect(await answerTo({ httpGet: { port } })).toMatchObject({ answer: { httpStatus: status } });
  });

  it('without a listener is the error of the system', async () => {
    const port = await closedPort();
    const refused = { timedOut: false, answer: { errno: 'ECONNREFUSED' } };
    expect(await answerTo({ httpGet: { port } })).toEqual(refused);
    expect(await answerTo({ tcpSocket: { port } })).toEqual(refused);
  });

  it('of a server that says nothing is that time was up', async () => {
    const port = await tcpServer(() => undefined);
    const clock = new ManualClock();
    const outcomes = [{ httpGet: { port } }, { grpc: { port } }].map((probe) => journalled(probe, { clock }));
    await clock.run(1000);
    expect(await Promise.all(outcomes)).toMatchObject([{ timedOut: true }, { timedOut: true }]);
  });
});
