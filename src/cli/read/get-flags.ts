import type { ContextFlags } from '../flags/options.ts';
import { qualifiedKind, type ResourceType } from '../../api/index.ts';
import { type Column, columnsOf, columnsOfDefinition, type TableObject, type TableOptions } from '../../print/index.ts';
import type { FromFlags } from '../from/saved-objects.ts';
import type { OutputFlags } from '../output/output-flags.ts';
import type { SelectionFlags } from '../select/selection-flags.ts';

export interface GetFlags extends SelectionFlags, OutputFlags, ContextFlags, Pick<FromFlags, 'from'> {
  readonly watch: boolean;
  readonly watchOnly: boolean;
  readonly outputWatchEvents: boolean;
  readonly headers: boolean;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  readonly showKind: boolean;
  readonly ignoreNotFound: boolean;
  /** A part of the objects: status, scale, …. */
  readonly subresource: string | undefined;
  /** The moment of `--at`, see history/base/moment.ts. */
  readonly at?: string;
  /** A JSONPath. Empty: sort by name. */
  readonly sortBy: string;
}

/**
 * The style of the tables of `get`.
 * @param withKind true when several types are listed: names begin with their kind
 */
export function tableOptions(type: ResourceType, flags: GetFlags, withKind: boolean): TableOptions {
  return {
    wide: flags.output === 'wide',
    allNamespaces: flags.allNamespaces && type.isNamespaced,
    showLabels: flags.showLabels,
    labelColumns: flags.labelColumns,
    noHeaders: !flags.headers,
    watchEvents: flags.outputWatchEvents,
    ...((withKind || flags.showKind) && { kindPrefix: `${qualifiedKind(type)}/` }),
  };
}

/** The columns of the tables of `get`. */
export function columnsOfType({ custom, plural }: ResourceType): readonly Column<TableObject>[] {
  return custom === undefined ? columnsOf(plural) : columnsOfDefinition(custom.columns);
}
