import { formatGoDuration } from '../../api/duration.ts';
import { JOB_BACKOFF } from '../../controllers/index.ts';
import { CRASH_LOOP } from '../../lifecycle/plan/back-off.ts';
import { SETTLE_MS } from '../../lifecycle/requests/goal-watch.ts';
import type { ApplyFlags } from './apply-flags.ts';

/** The flags of an `apply` without flags, for commands that call it with a manifest of their own. */
export const APPLY_DEFAULTS: ApplyFlags = {
  filename: ['-'],
  recursive: false,
  kustomize: undefined,
  selector: undefined,
  staticPods: undefined,
  namespace: undefined,
  until: undefined,
  timeout: undefined,
  settle: formatGoDuration(SETTLE_MS),
  allowRestarts: false,
  detach: false,
  wait: false,
  logs: true,
  annotations: undefined,
  image: [],
  config: undefined,
  network: undefined,
  proxy: undefined,
  egress: undefined,
  networkHostAccess: true,
  ingressPort: undefined,
  backoffInitial: formatGoDuration(CRASH_LOOP.initialMs),
  backoffMax: formatGoDuration(CRASH_LOOP.maxMs),
  jobBackoffInitial: formatGoDuration(JOB_BACKOFF.initialMs),
  jobBackoffMax: formatGoDuration(JOB_BACKOFF.maxMs),
  enforceMemory: undefined,
  keep: undefined,
  report: undefined,
  expect: undefined,
  dryRun: 'none',
  validate: 'strict',
  strict: false,
  isolate: false,
  strictPid1: false,
  bestEffort: false,
  runtime: undefined,
  output: undefined,
  template: undefined,
  allowMissingTemplateKeys: true,
  showManagedFields: false,
};
