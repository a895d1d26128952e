import type { ProcessStreams, RunningContainer, RunningExec } from '../../runtime/runtime.ts';
import type { ProcessRef, Told, ToKeeper, ToldContainer } from './protocol.ts';

/** The way to the keeper of processes; when that is gone, what is sent is dropped. */
export interface KeeperLine {
  send(message: ToKeeper): void;
  /** Resolves with what the keeper answers; with false when it is gone. */
  ask(question: (piece: number) => ToKeeper, chunk?: Buffer): Promise<boolean>;
}

/** A container that runs in a keeper. */
export function containerProxy(line: KeeperLine, id: string, told: ToldContainer): RunningContainer {
  const of: ProcessRef = { container: id };
  const { streams, ...facts } = told;
  const signalLater = (name: string): Promise<boolean> =>
    line.ask((piece) => ({ type: 'signal', container: id, name, piece }));
  // The keeper writes the log: nobody but those who are attached to the container sees its output here.
  const showOutput = (isShown: boolean): void => line.send({ type: 'show', container: id, isShown });
  return {
    ...facts,
    signal: (name) => {
      void signalLater(name);
      return false;
    },
    signalLater,
    kill: () => line.send({ type: 'kill', of }),
    // What does not hold of it, the keeper tells later.
    limit: (limits) => {
      line.send({ type: 'limit', container: id, limits });
      return undefined;
    },
    ...(streams === undefined ? {} : { streams: { ...streamProxies(line, of, streams), showOutput } }),
  };
}

/** A command that runs in a keeper, and that somebody sees and types into. */
export function commandProxy(line: KeeperLine, command: number, { streams }: Told<RunningExec>): RunningExec {
  const of: ProcessRef = { command };
  return { streams: streamProxies(line, of, streams), kill: () => line.send({ type: 'kill', of }) };
}

function streamProxies(line: KeeperLine, of: ProcessRef, { input, terminal }: Told<ProcessStreams>): ProcessStreams {
  return {
    input: input && {
      write: async (chunk) => void (await line.ask((piece) => ({ type: 'input', of, piece }), chunk)),
      end: () => line.send({ type: 'inputEnd', of }),
    },
    terminal: terminal && { resize: (size) => line.send({ type: 'resize', of, size }) },
    holdOutput: (held) => line.send({ type: 'hold', of, held }),
  };
}
