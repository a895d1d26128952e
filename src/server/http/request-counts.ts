import type { ApiRequest, ServedResource } from '../../apiserver/index.ts';

/** The bounds of the buckets of latencies, seconds. Source: apiserver/pkg/endpoints/metrics/metrics.go. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Labels of a metric, as Prometheus writes them: `verb="GET",code="200"`. */
type Labels = string;

/** Latencies of requests. */
export interface Latencies {
  /** The number of requests in each bucket, not of all below it; the last one has no bound. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** A request that has ended. */
export interface CountedRequest {
  readonly method: string;
  /** The page that the request is about: `/readyz`. Empty: an object, or nothing that there is. */
  readonly page: string;
  /** Undefined: it is about no object. */
  readonly request: ApiRequest | undefined;
  readonly code: number;
  /** From the request to the end of the response. */
  readonly seconds: number;
}

/** The verbs of requests that last as long as the client wants. */
const LONG: ReadonlySet<string> = new Set(['WATCH', 'CONNECT']);
const READ_ONLY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const CONNECTING: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** Counts the requests of a server, for its page `/metrics`. */
export class RequestCounts {
  readonly totals: Map<Labels, number> = new Map();
  readonly latencies: Map<Labels, Latencies> = new Map<Labels, Latencies>();
  /** The requests that last, open now. */
  readonly lasting: Map<Labels, number> = new Map<Labels, number>();
  /** Deprecated resources that clients have asked for. */
  readonly deprecated: Set<Labels> = new Set<Labels>();
  readonly inflight: Record<'mutating' | 'readOnly', number> = { mutating: 0, readOnly: 0 };

  /** Counts a request as open. Returns the end of it. */
  begin(method: string): () => void {
    const kind = READ_ONLY.has(method) ? 'readOnly' : 'mutating';
    this.inflight[kind]++;
    return () => void this.inflight[kind]--;
  }

  /** Counts a watch or a connection as open, which are no short requests. Returns the end of it. */
  last(request: ApiRequest): (() => void) | undefined {
    const verb = verbOf(request.raw.method ?? '', request);
    if (!LONG.has(verb)) return undefined;
    const labels = `verb="${verb}",${aboutOf(request)}`;
    add(this.lasting, labels, 1);
    return () => add(this.lasting, labels, -1);
  }

  /** Counts a request that has ended. */
  ended({ method, page, request, code, seconds }: CountedRequest): void {
    const verb = verbOf(method, request);
    const dryRun = request?.query.get('dryRun') === 'All' ? 'All' : '';
    const about = request === undefined ? pageLabels(page) : aboutOf(request);
    const labels = `verb="${verb}",dry_run="${dryRun}",${about}`;
    add(this.totals, `${labels},code="${code}"`, 1);
    const { resource } = request ?? {};
    if (resource?.deprecation !== undefined) this.deprecated.add(resourceLabels(resource, ''));
    if (LONG.has(verb)) return;
    const known = this.latencies.get(labels) ?? { buckets: LATENCY_BUCKETS.map(() => 0).concat(0), sum: 0, count: 0 };
    this.latencies.set(labels, known);
    const at = LATENCY_BUCKETS.findIndex((bound) => seconds <= bound);
    const bucket = at < 0 ? LATENCY_BUCKETS.length : at;
    known.buckets[bucket] = (known.buckets[bucket] ?? 0) + 1;
    known.sum += seconds;
    known.count++;
  }
}

function pageLabels(path: string): Labels {
  return `group="",version="",resource="",subresource="${path}",scope="",component="apiserver"`;
}

function aboutOf({ resource, namespace, name, subresource: given = '', verb }: ApiRequest): Labels {
  // Names that clients make up would fill the memory.
  const subresource = resource.subresources.some((one) => one.name === given) ? given : '';
  const scope =
    name !== undefined || verb === 'create' ? 'resource' : namespace === undefined ? 'cluster' : 'namespace';
  return `${resourceLabels(resource, subresource)},scope="${scope}",component="apiserver"`;
}

function resourceLabels({ group, version, plural }: ServedResource, subresource: string): Labels {
  return `group="${group}",version="${version}",resource="${plural}",subresource="${subresource}"`;
}

/** The verb that metrics name. Source: apiserver/pkg/endpoints/metrics/metrics.go, cleanVerb. */
function verbOf(method: string, request: ApiRequest | undefined): string {
  const { verb, subresource = '', headers } = request ?? {};
  if (CONNECTING.has(subresource)) return 'CONNECT';
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') return verb.toUpperCase();
  if (verb === 'patch' && headers?.['content-type']?.includes('apply-patch') === true) return 'APPLY';
  return method;
}

function add(counts: Map<Labels, number>, labels: Labels, number: number): void {
  counts.set(labels, (counts.get(labels) ?? 0) + number);
}
