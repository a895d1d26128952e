import { existsSync } from 'node:fs';
import type { ApiAnswer, RouteRequest, ServerContext, ServerRoute } from '../../apiserver/index.ts';
import { notFoundPage, TEXT } from '../http/plain-pages.ts';

/** A check of the server. True: all is well. */
interface HealthCheck {
  readonly name: string;
  readonly passes: (context: ServerContext) => boolean;
}

const always = (name: string): HealthCheck => ({ name, passes: () => true });

const PING = always('ping');
const LOG = always('log');
const CERTIFICATE = always('loopback-serving-certificate');
/** The store exists: its folder may have been removed. */
const STORE: HealthCheck = { name: 'etcd', passes: ({ store }) => existsSync(store.root) };
const INFORMERS = always('informer-sync');
const SHUTDOWN: HealthCheck = { name: 'shutdown', passes: ({ signal }) => !signal.aborted };

const hooks = (names: string): HealthCheck[] => names.split(' ').map((name) => always(`poststarthook/${name}`));

/** Steps of the start of the API server, by its names. podrun has done all of them before it listens. */
const STARTED: readonly HealthCheck[] = [
  ...hooks(
    'start-apiserver-admission-initializer generic-apiserver-start-informers priority-and-fairness-config-consumer ' +
      'priority-and-fairness-filter storage-object-count-tracker-hook start-apiextensions-informers ' +
      'start-apiextensions-controllers crd-informer-synced start-system-namespaces-controller ' +
      'peer-endpoint-reconciler-controller start-cluster-authentication-info-controller ' +
      'start-kube-apiserver-identity-lease-controller start-kube-apiserver-identity-lease-garbage-collector ' +
      'storage-readiness start-legacy-token-tracking-controller start-service-ip-repair-controllers ' +
      'rbac/bootstrap-roles scheduling/bootstrap-system-priority-classes priority-and-fairness-config-producer ' +
      'bootstrap-controller start-kubernetes-service-cidr-controller start-kube-aggregator-informers ' +
      'apiservice-status-local-available-controller apiservice-status-remote-available-controller ' +
      'apiservice-registration-controller apiservice-wait-for-first-sync apiservice-discovery-controller ' +
      'kube-apiserver-autoregistration',
  ),
  always('autoregister-completion'),
  ...hooks('apiservice-openapi-controller apiservice-openapiv3-controller'),
];

const ALIVE: readonly HealthCheck[] = [PING, LOG, CERTIFICATE, STORE, ...STARTED];

/** The checks of each page, in its order. */
const CHECKS: Readonly<Record<string, readonly HealthCheck[]>> = {
  healthz: ALIVE,
  livez: ALIVE,
  readyz: [PING, LOG, INFORMERS, ...STARTED, SHUTDOWN],
};

/** The paths of all checks. */
export const HEALTH_PATHS: readonly string[] = Object.entries(CHECKS).flatMap(([page, checks]) => [
  `/${page}`,
  ...checks.map(({ name }) => `/${page}/${name}`),
]);

/** `/healthz`, `/livez`, `/readyz`, and a page for each check of them. Any method will do. */
export const HEALTH_ROUTES: readonly ServerRoute[] = Object.entries(CHECKS).flatMap(([page, checks]) => [
  { path: `/${page}`, isPublic: true, answer: (request, context) => allChecks(page, checks, request, context) },
  {
    path: `/${page}/*`,
    answer: ({ params }, context) => {
      const check = checks.find(({ name }) => name === params['*']);
      if (check === undefined) return notFoundPage();
      return check.passes(context) ? ok() : failed(`internal server error: ${check.name}\n`);
    },
  },
]);

/** The result of each check: 1 when it passes, else 0. */
export function checkResults(context: ServerContext): { page: string; name: string; result: 0 | 1 }[] {
  return Object.entries(CHECKS).flatMap(([page, checks]) =>
    checks.map(({ name, passes }) => ({ page, name, result: passes(context) ? 1 : 0 })),
  );
}

/** Source: apiserver/pkg/server/healthz/healthz.go, handleRootHealth. */
function allChecks(
  page: string,
  checks: readonly HealthCheck[],
  { query }: RouteRequest,
  context: ServerContext,
): ApiAnswer {
  const excluded = new Set(query.getAll('exclude'));
  const results = checks.map(({ name, passes }) => {
    const isExcluded = excluded.delete(name);
    return { passes: isExcluded || passes(context), name, isExcluded };
  });
  const lines = results.map(({ passes, name, isExcluded }) => {
    if (!passes) return `[-]${name} failed: reason withheld`;
    return `[+]${name} ${isExcluded ? 'excluded: ok' : 'ok'}`;
  });
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const text = (end: string): string => [...lines, `${page} check ${end}`, ''].join('\n');
  if (results.some(({ passes }) => !passes)) return failed(text('failed'));
  return query.has('verbose') ? { text: text('passed'), type: TEXT } : ok();
}

function ok(): ApiAnswer {
  return { text: 'ok', type: TEXT };
}

function failed(text: string): ApiAnswer {
  return { text, type: TEXT, code: 500 };
}
