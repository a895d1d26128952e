import type { Container, Probe } from '../../../src/api/generated/types.ts';
import { advise } from '../../../src/history/advise/advise.ts';
import { Story } from './story.ts';

const check = { exec: { command: ['check'] } };

const app = (fields: Partial<Container> = {}): Container => ({ name: 'app', image: 'busybox', ...fields });

/** A story of a Pod with one container, `app`. */
export const pod = (fields: Partial<Container> = {}, spec: object = {}): Story =>
  new Story({ containers: [app(fields)], ...spec });

export const startup = (numbers: Partial<Probe> = {}): Partial<Container> => ({
  startupProbe: { ...check, ...numbers },
});
export const readiness = (numbers: Partial<Probe> = {}): Partial<Container> => ({
  readinessProbe: { ...check, ...numbers },
});
export const liveness = (numbers: Partial<Probe> = {}): Partial<Container> => ({
  livenessProbe: { ...check, ...numbers },
});

/** The answers of probes. */
export const good: object = {};
export const bad: { readonly result: 'failure' } = { result: 'failure' };

/** The path of the container. */
export const first: string = 'spec.containers[0]';

/** The advice in short: `severity rule path: suggested`. */
export function adviceLines(story: Story): string[] {
  const { advice = [] } = advise(story.run, story.usages) ?? {};
  return advice.map(({ severity, rule, path, suggested }) => {
    const value = suggested === undefined ? '' : `: ${JSON.stringify(suggested)}`;
    return `${severity} ${rule} ${path}${value}`;
  });
}
