import { Option } from 'commander';
import { usage } from '../../api/index.ts';
import { append } from '../select/selection-flags.ts';

/** Makes the option `--from`, which reads files instead of the store. */
export function fromOption(): Option {
  return new Option('--from <file>', 'show the objects in this file instead of the store; -: standard input')
    .argParser(append)
    .default([]);
}

/** @throws {PodrunError} (usage) for --at or --watch, which need the store */
export function refuseOfSaved({ from, at, watch }: { from: readonly string[]; at?: string; watch: boolean }): void {
  if (from.length === 0 || (at === undefined && !watch)) return;
  const flag = watch ? '--watch' : '--at';
  throw usage(`--from shows saved objects: it cannot be used with ${flag}`);
}
