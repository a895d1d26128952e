import { type FieldError, forbidden, invalid, notSupported } from '../../../manifest/index.ts';
import { parseTime } from '../../../api/index.ts';
import { badRequestStatus, invalidObject, isOn } from '../../../apiserver/index.ts';

/** The query of `pods/log`. */
export interface LogOptions {
  /** Undefined: the only container. */
  readonly container: string | undefined;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** The earliest time of a line, milliseconds since 1970. */
  readonly sinceMs: number | undefined;
  /** Undefined: both. */
  readonly stream: 'stdout' | 'stderr' | undefined;
}

const STREAMS = { All: undefined, Stdout: 'stdout', Stderr: 'stderr' } as const;

/**
 * Reads the query of `pods/log`.
 * @throws {StatusError} in the API server's words. Source: pkg/apis/core/validation ValidatePodLogOptions
 */
export function readLogOptions(query: URLSearchParams, pod: string, nowMs: number): LogOptions {
  const tailLines = numberIn(query, 'tailLines');
  const limitBytes = numberIn(query, 'limitBytes');
  const sinceSeconds = numberIn(query, 'sinceSeconds');
  const sinceTime = query.get('sinceTime') ?? undefined;
  const stream = query.get('stream') || 'All';
  const errors = [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalid('tailLines', tailLines, 'must be greater than or equal to 0')]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1
      ? [invalid('limitBytes', limitBytes, 'must be greater than 0')]
      : []),
    ...sinceErrors(sinceSeconds, sinceTime),
    ...(stream in STREAMS ? [] : [notSupported('stream', stream, Object.keys(STREAMS))]),
    ...(stream !== 'All' && tailLines !== undefined
      ? [forbidden('tailLines', '`tailLines` and specific `stream` are mutually exclusive for now')]
      : []),
  ];
  if (errors.length > 0) throw invalidObject({ kind: 'PodLogOptions', group: '' }, pod, errors);
  return {
    container: query.get('container') || undefined,
    follow: isOn(query, 'follow'),
    previous: isOn(query, 'previous'),
    timestamps: isOn(query, 'timestamps'),
    tailLines,
    limitBytes,
    sinceMs: sinceSeconds === undefined ? timeIn(sinceTime) : nowMs - sinceSeconds * 1000,
    stream: STREAMS[stream as keyof typeof STREAMS],
  };
}

function sinceErrors(sinceSeconds: number | undefined, sinceTime: string | undefined): FieldError[] {
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    return [forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')];
  if (sinceSeconds === undefined || sinceSeconds >= 1) return [];
  return [invalid('sinceSeconds', sinceSeconds, 'must be greater than 0')];
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
  throw badRequestStatus(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function timeIn(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const time = parseTime(text);
  if (!Number.isNaN(time)) return time;
  throw badRequestStatus(
    `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)}`,
  );
}
