import { type Root, rootEnd } from '../../lifecycle/index.ts';
import { rootName } from './root-phrases.ts';

/**
 * The sentence about a run whose Jobs have ended and whose servers still run. Undefined as long as a Job runs, and
 * without Jobs or servers.
 */
export function jobsDone(roots: readonly Root[]): string | undefined {
  const jobs = roots.filter(({ object }) => object.kind === 'Job');
  const others = roots.filter((root) => root.object.kind !== 'Job' && rootEnd(root) === 'running');
  if (jobs.length === 0 || others.length === 0 || jobs.some((root) => rootEnd(root) === 'running')) return undefined;
  const failed = jobs.filter((root) => rootEnd(root) === 'failed');
  const ended =
    failed.length > 0
      ? `${namesOf(failed)} ${failed.length === 1 ? 'has' : 'have'} failed`
      : `${namesOf(jobs)} ${jobs.length === 1 ? 'is' : 'are'} complete`;
  const keep = others.length === 1 ? 'keeps' : 'keep';
  const advice = 'Ctrl-C ends it; --until complete would have ended with the Jobs';
  return `${ended}; ${namesOf(others)} ${keep} running (${advice})`;
}

/** The number of objects to name. Further ones are only counted. */
const NAMED_MAX = 3;

function namesOf(roots: readonly Root[]): string {
  const names = roots.slice(0, NAMED_MAX).map(rootName);
  const more = roots.length - names.length;
  return [...names, ...(more === 0 ? [] : [`${more} more`])].join(', ');
}
