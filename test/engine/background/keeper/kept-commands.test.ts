import { describe, expect, it } from 'vitest';
import { KeptCommands } from '../../../../src/engine/background/keeper/kept-commands.ts';
import type { FromKeeper } from '../../../../src/engine/background/keeper/protocol.ts';
import type { ExecLaunch, RunningExec, Runtime } from '../../../../src/runtime/base/runtime.ts';

const launch = { id: 'uid/main/0', argv: ['sh'], env: {}, cwd: '/', stdin: false } as unknown as ExecLaunch;

/** A runtime whose commands the test ends. */
function controlled() {
  const started: ExecLaunch[] = [];
  const told: FromKeeper[] = [];
  const command: RunningExec = {
    pid: 1,
    kill: () => undefined,
    streams: { input: undefined, terminal: undefined, holdOutput: () => undefined },
  } as unknown as RunningExec;
  const runtime = {
    startExec: (one: ExecLaunch) => {
      started.push(one);
      return Promise.resolve({ ok: true, command });
    },
  } as unknown as Runtime;
  const commands = new KeptCommands({ runtime, send: (message) => told.push(message), sendOutput: () => undefined });
  return { commands, started, told };
}

describe('the commands of an agent', () => {
  it('are not taken for commands of the next one, which counts anew', async () => {
    const { commands, started, told } = controlled();
    await commands.startExec({ type: 'startExec', command: 1, launch });
    commands.end();
    await commands.startExec({ type: 'startExec', command: 1, launch });
    const [before, after] = started;
    told.length = 0;
    before?.onExit(137);
    expect(told).toEqual([]);
    expect(commands.session(1)).toBeDefined();
    after?.onExit(3);
    expect(told).toEqual([{ type: 'execExited', command: 1, exitCode: 3 }]);
    expect(commands.session(1)).toBeUndefined();
  });
});
