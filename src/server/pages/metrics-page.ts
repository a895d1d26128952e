import { readdirSync } from 'node:fs';
import type { ServerContext, ServerRoute } from '../../apiserver/index.ts';
import { quietly } from '../../quietly.ts';
import { checkResults } from './health.ts';
import { LATENCY_BUCKETS, type RequestCounts } from '../http/request-counts.ts';

/** The text format of Prometheus. */
const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Each with what stands behind the name of the family. */
  readonly samples: readonly (readonly [suffix: string, value: number])[];
}

/** `/metrics`: the requests of the server under the names of the API server, and its process. */
export function metricsRoutes(counts: RequestCounts): readonly ServerRoute[] {
  // One value for all scrapes, in seconds since 1970: an alert on restarts looks for a change of it.
  let started: number | undefined;
  const startedAt = ({ clock }: ServerContext): number => (started ??= clock.now().wallMs / 1000 - process.uptime());
  return [
    {
      method: 'GET',
      path: '/metrics',
      answer: (_request, context) => ({
        text: textOf([...requestFamilies(counts), ...storeFamilies(context), ...processFamilies(startedAt(context))]),
        type: TYPE,
      }),
    },
    {
      method: 'GET',
      path: '/metrics/slis',
      answer: (_request, context) => ({ text: textOf([healthFamily(context)]), type: TYPE }),
    },
  ];
}

/** Source of the names and texts: apiserver/pkg/endpoints/metrics/metrics.go. */
function requestFamilies({ totals, latencies, lasting, inflight, deprecated }: RequestCounts): Family[] {
  return [
    {
      name: 'apiserver_current_inflight_requests',
      help: 'Requests that are open now, but for watches and connections.',
      type: 'gauge',
      samples: Object.entries(inflight).map(([kind, number]) => [`{request_kind="${kind}"}`, number]),
    },
    {
      name: 'apiserver_longrunning_requests',
      help: 'Watches and connections that are open now.',
      type: 'gauge',
      samples: [...lasting].map(([labels, number]) => [`{${labels}}`, number]),
    },
    {
      name: 'apiserver_request_duration_seconds',
      help: 'The time from a request to the end of its response, in seconds.',
      type: 'histogram',
      samples: [...latencies].flatMap(([labels, { buckets, sum, count }]) => {
        let below = 0;
        const bounds = [...LATENCY_BUCKETS.map(String), '+Inf'];
        const all = buckets.map((number, at): [string, number] => {
          below += number;
          return [`_bucket{${labels},le="${bounds[at] ?? ''}"}`, below];
        });
        return [...all, [`_sum{${labels}}`, sum] as const, [`_count{${labels}}`, count] as const];
      }),
    },
    {
      name: 'apiserver_request_total',
      help: 'Requests that have ended.',
      type: 'counter',
      samples: [...totals].map(([labels, number]) => [`{${labels}}`, number]),
    },
    {
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated resources that clients have asked for.',
      type: 'gauge',
      samples: [...deprecated].map((labels) => [`{${labels},removed_release=""}`, 1]),
    },
  ];
}

function storeFamilies({ resources, objects }: ServerContext): Family[] {
  const stored = new Map(resources.all.filter(({ storage }) => storage !== '').map((one) => [one.storage, one]));
  return [
    {
      name: 'apiserver_storage_objects',
      help: 'Objects in the store, by kind.',
      type: 'gauge',
      samples: [...stored].map(([storage, { group, plural }]) => [
        `{resource="${group === '' ? plural : `${plural}.${group}`}"}`,
        objects.listed(storage).length,
      ]),
    },
  ];
}

function processFamilies(started: number): Family[] {
  const { user, system } = process.cpuUsage();
  const files = quietly(() => readdirSync('/proc/self/fd').length);
  const one = (name: string, help: string, type: Family['type'], value: number | undefined): Family[] =>
    value === undefined ? [] : [{ name, help, type, samples: [['', value]] }];
  return [
    ...one('process_cpu_seconds_total', 'Processor time of the server, in seconds.', 'counter', (user + system) / 1e6),
    ...one('process_open_fds', 'Open files.', 'gauge', files),
    ...one('process_resident_memory_bytes', 'Memory of the server.', 'gauge', process.memoryUsage.rss()),
    ...one('process_start_time_seconds', 'The start of the server, in seconds since 1970.', 'gauge', started),
  ];
}

/** Source: component-base/metrics/prometheus/slis/metrics.go. */
function healthFamily(context: ServerContext): Family {
  return {
    name: 'kubernetes_healthcheck',
    help: 'Whether each check of the server passes: 1 or 0.',
    type: 'gauge',
    samples: checkResults(context).map(({ page, name, result }) => [`{name="${name}",type="${page}"}`, result]),
  };
}

function textOf(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([suffix, value]) => `${name}${suffix} ${value}`);
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
    })
    .join('');
}
