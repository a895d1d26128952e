import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { goalState, goalText, parseGoal } from '../../../src/lifecycle/requests/goal.ts';

describe('a goal', () => {
  it.each([
    ['ready', 'ready'],
    ['SUCCEEDED', 'Succeeded'],
    ['failed', 'Failed'],
    ['example.com/lb=false', 'example.com/lb=False'],
    ['Ready=unknown', 'Ready=Unknown'],
    ['Ready=True', 'Ready'],
    ['Ready=maybe', undefined],
    ['=True', undefined],
    ['', undefined],
  ])('%j is read as %s', (text, expected) => {
    const goal = parseGoal(text);
    expect(goal && goalText(goal)).toBe(expected);
  });
});

describe('failed', () => {
  const ended = (reason: string): PodStatus => ({
    phase: 'Running',
    conditions: [{ type: 'ContainersReady', status: 'False', reason }],
  });

  it.each<[PodStatus, string]>([
    [{ phase: 'Pending' }, 'pending'],
    [{ phase: 'Running' }, 'pending'],
    [{ phase: 'Failed' }, 'met'],
    [{ phase: 'Succeeded' }, 'impossible'],
    // The condition shows the end before the phase does.
    [ended('PodCompleted'), 'impossible'],
    [ended('PodFailed'), 'pending'],
  ])('%j: %s', (status, expected) => {
    const pod = { spec: { containers: [] }, metadata: {}, status } as unknown as StoredPod;
    expect(goalState({ type: 'failed' }, pod)).toBe(expected);
  });
});

describe('a goal of a Pod whose image cannot be pulled', () => {
  const stateOf = (reason: string, message: string): string => {
    const containerStatuses = [{ name: 'main', state: { waiting: { reason, message } } }];
    const pod = { spec: { containers: [] }, metadata: {}, status: { phase: 'Pending', containerStatuses } };
    return goalState({ type: 'succeeded' }, pod as unknown as StoredPod);
  };
  const asked = (status: string): string =>
    `failed to resolve image: unexpected status from HEAD request to http://127.0.0.1:5000/v2/a/manifests/1: ${status}`;
  const request = 'failed to do request: Head "https://127.0.0.1:5000/v2/a/manifests/1"';

  it.each([
    asked('503 Service Unavailable'),
    asked('500 Internal Server Error'),
    asked('429 Too Many Requests'),
    `${request}: dial tcp 127.0.0.1:5000: connect: connection refused`,
    `${request}: read tcp 127.0.0.1:4->127.0.0.1:5000: read: connection reset by peer`,
    `${request}: dial tcp: lookup registry.test on 127.0.0.1:53: i/o timeout`,
    `${request}: EOF`,
    'failed to copy: httpReadSeeker: failed open: unexpected EOF',
    'toomanyrequests: You have reached your pull rate limit',
    'pull QPS exceeded',
    `[pull access denied, repository does not exist, ${asked('502 Bad Gateway')}]`,
  ])('waits for the next pull after %s', (error) => {
    expect(stateOf('ErrImagePull', error)).toBe('pending');
    expect(stateOf('ImagePullBackOff', `Back-off pulling image "a:1": ErrImagePull: ${error}`)).toBe('pending');
  });

  it.each([
    ['ErrImagePull', asked('401 Unauthorized')],
    ['ErrImagePull', asked('403 Forbidden')],
    ['ErrImagePull', '127.0.0.1:5000/a:503: not found'],
    ['ErrImagePull', `${request}: dial tcp: lookup registry.test on 127.0.0.1:53: no such host`],
    ['ErrImagePull', 'tls: failed to verify certificate: x509: self-signed certificate'],
    ['ErrImagePull', `${asked('503 Service Unavailable')} (failed 4 times)`],
    ['InvalidImageName', "couldn't parse image name"],
    ['ErrImageNeverPull', 'not present with pull policy of Never'],
  ])('is out of reach after %s: %s', (reason, error) => {
    expect(stateOf(reason, error)).toBe('impossible');
  });
});

it.each([
  ['nginx:1.25', 'met'],
  ['docker.io/library/nginx:1.25', 'met'],
  ['docker.io/library/nginx:1.24', 'pending'],
])('a Pod of nginx:1.25 whose status shows %s: ready is %s', (image, expected) => {
  const containerStatuses = [{ name: 'main', image, state: { running: {} } }];
  const conditions = [{ type: 'Ready', status: 'True' }];
  const pod = {
    spec: { containers: [{ name: 'main', image: 'nginx:1.25' }] },
    metadata: {},
    status: { phase: 'Running', conditions, containerStatuses },
  } as unknown as StoredPod;
  expect(goalState({ type: 'condition', condition: 'Ready', status: 'True' }, pod)).toBe(expected);
});
