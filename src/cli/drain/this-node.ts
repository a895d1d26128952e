import { readNode, setCordoned } from '../../settings/index.ts';
import { noSuchObject, usage } from '../../api/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';

/**
 * The name of the node that a command means: this machine.
 * @throws {PodrunError} for a missing name, and for another node
 */
export function nodeArgument(store: FileStore, word: string | undefined, command: string): string {
  const { name } = readNode({ storageDir: store.root });
  if (word === undefined) throw usage(`USAGE: podrun ${command} NODE [flags]`, `The only node is ${name}.`);
  const wanted = word.replace(/^nodes?\//, '');
  if (wanted !== name) throw noSuchObject('nodes', wanted, `The only node is ${name}.`);
  return name;
}

/** Cordons or uncordons the node, and prints kubectl's line. */
export function cordon(cli: Cli, store: FileStore, node: string, wanted: boolean): void {
  const word = wanted ? 'cordoned' : 'uncordoned';
  const isChanged = setCordoned(store, cli.clock, node, wanted);
  cli.stdout.write(`node/${node} ${isChanged ? word : `already ${word}`}\n`);
}
