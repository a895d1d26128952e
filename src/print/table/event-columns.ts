import type { StoredEvent } from '../../api/objects.ts';
import { ageSince } from '../age.ts';
import type { Column } from './table-printer.ts';

/**
 * The columns of `get events`. Unlike those of `events`, they show ages without counts.
 * Source: pkg/printers/internalversion/printers.go, printEvent.
 */
export const EVENT_COLUMNS: readonly Column<StoredEvent>[] = [
  { heading: 'LAST SEEN', cell: (event, nowMs) => ageSince(lastSeen(event), nowMs) },
  { heading: 'TYPE', cell: ({ type }) => type ?? '' },
  { heading: 'REASON', cell: ({ reason }) => reason ?? '' },
  {
    heading: 'OBJECT',
    cell: ({ involvedObject: { kind = '', name } }) => kind.toLowerCase() + (name ? `/${name}` : ''),
  },
  { heading: 'SUBOBJECT', wide: true, cell: ({ involvedObject }) => involvedObject.fieldPath ?? '' },
  { heading: 'SOURCE', wide: true, cell: reporter },
  { heading: 'MESSAGE', cell: ({ message }) => (message ?? '').trim() },
  { heading: 'FIRST SEEN', wide: true, cell: (event, nowMs) => ageSince(firstSeen(event), nowMs) },
  { heading: 'COUNT', wide: true, cell: ({ series, count }) => String(series ? (series.count ?? 0) : count || 1) },
  { heading: 'NAME', wide: true, cell: ({ metadata }) => metadata.name },
];

function firstSeen({ firstTimestamp, eventTime }: StoredEvent): string | null | undefined {
  return firstTimestamp || eventTime;
}

function lastSeen(event: StoredEvent): string | null | undefined {
  return event.series?.lastObservedTime ?? (event.lastTimestamp || firstSeen(event));
}

/** The reporter of an event and its host: `kubelet, node-1`. */
function reporter({ source, reportingComponent, reportingInstance }: StoredEvent): string {
  const parts = source?.component ? [source.component, source.host] : [reportingComponent, reportingInstance];
  return parts.filter(Boolean).join(', ');
}
