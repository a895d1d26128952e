import { inBackground } from '../../../defects.ts';
import type { ProcessStreams, RunningContainer, RunningExec } from '../../../runtime/index.ts';
import type { ProcessRef, WithoutFunctions, ToKeeper, ContainerMessage } from './protocol.ts';

/** The connection to the keeper of processes. Without a keeper, messages are dropped. */
export interface KeeperLine {
  send(message: ToKeeper): void;
  /** Resolves with the answer of the keeper, with false when the keeper is gone. */
  ask(question: (piece: number) => ToKeeper, chunk?: Buffer): Promise<boolean>;
}

/** A container that runs in a keeper. */
export function containerProxy(line: KeeperLine, id: string, container: ContainerMessage): RunningContainer {
  const of: ProcessRef = { container: id };
  const { streams, ...facts } = container;
  const signalLater = (name: string): Promise<boolean> =>
    line.ask((piece) => ({ type: 'signal', container: id, name, piece }));
  // The keeper writes the log: this process needs the output for attached clients only.
  const showOutput = (isShown: boolean): void => line.send({ type: 'show', container: id, isShown });
  return {
    ...facts,
    signal: (name) => {
      inBackground(signalLater(name));
      return false;
    },
    signalLater,
    kill: () => line.send({ type: 'kill', of }),
    // The keeper reports later which limits have no effect.
    limit: (limits) => {
      line.send({ type: 'limit', container: id, limits });
      return undefined;
    },
    ...(streams === undefined ? {} : { streams: { ...streamProxies(line, of, streams), showOutput } }),
  };
}

/** An interactive command that runs in a keeper. */
export function commandProxy(
  line: KeeperLine,
  command: number,
  { streams }: WithoutFunctions<RunningExec>,
): RunningExec {
  const of: ProcessRef = { command };
  return { streams: streamProxies(line, of, streams), kill: () => line.send({ type: 'kill', of }) };
}

function streamProxies(
  line: KeeperLine,
  of: ProcessRef,
  { input, terminal }: WithoutFunctions<ProcessStreams>,
): ProcessStreams {
  return {
    input: input && {
      write: async (chunk) => void (await line.ask((piece) => ({ type: 'input', of, piece }), chunk)),
      end: () => line.send({ type: 'inputEnd', of }),
    },
    terminal: terminal && { resize: (size) => line.send({ type: 'resize', of, size }) },
    holdOutput: (held) => line.send({ type: 'hold', of, held }),
  };
}
