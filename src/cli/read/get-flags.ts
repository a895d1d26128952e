import type { TableOptions } from '../../print/table/table-printer.ts';
import type { FromFlags } from '../from/saved-objects.ts';
import type { OutputFlags } from '../output/output-flags.ts';
import type { SelectionFlags } from '../select/selection-flags.ts';

/** The flags of `get`. */
export interface GetFlags extends SelectionFlags, OutputFlags, Pick<FromFlags, 'from'> {
  readonly watch: boolean;
  readonly watchOnly: boolean;
  readonly outputWatchEvents: boolean;
  readonly headers: boolean;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  readonly showKind: boolean;
  readonly ignoreNotFound: boolean;
  /** The moment of `--at`, see history/moment.ts. */
  readonly at?: string;
  /** A JSONPath. Empty: sort by name. */
  readonly sortBy: string;
}

/**
 * The style of the tables of `get`.
 * @param kind the prefix of names, when several types are listed
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
