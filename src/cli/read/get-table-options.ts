import type { TableOptions } from '../../print/table-printer.ts';
import type { GetFlags } from './get.ts';

/**
 * How the tables of `get` look.
 * @param kind put in front of the names, where several types are listed
 */
export function tableOptions(flags: GetFlags, kind: string | undefined): TableOptions {
  return {
    wide: flags.output === 'wide',
    allNamespaces: flags.allNamespaces,
    showLabels: flags.showLabels,
    labelColumns: flags.labelColumns,
    noHeaders: !flags.headers,
    watchEvents: flags.outputWatchEvents,
    ...(kind !== undefined && { kindPrefix: `${kind}/` }),
  };
}
