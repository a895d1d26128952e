import { describe, expect, it } from 'vitest';
import { readFault } from '../../src/experiments/read-fault.ts';

describe('readFault', () => {
  it.for<[string, object]>([
    ['kill:app@5s', { type: 'kill', container: 'app', when: { atMs: 5000 } }],
    ['kill', { type: 'kill', container: undefined, when: undefined }],
    ['exit:3@20%', { type: 'exit', code: 3, container: undefined, when: { share: 0.2 } }],
    ['exit:3:app@1m', { type: 'exit', code: 3, container: 'app', when: { atMs: 60_000 } }],
    ['oom:app', { type: 'oom', container: 'app', when: undefined }],
    ['probe:readiness=fail@10s+20s', { type: 'probe', probe: 'readiness', fromMs: 10_000, untilMs: 30_000 }],
    ['probe:liveness:app=fail', { type: 'probe', probe: 'liveness', container: 'app', fromMs: 0, untilMs: Infinity }],
    ['image-pull-fail', { type: 'image', container: undefined, fromMs: 0, untilMs: Infinity }],
    ['image-pull-fail:app@1s+2s', { type: 'image', container: 'app', fromMs: 1000, untilMs: 3000 }],
    ['partition:web', { type: 'partition', name: 'web', fromMs: 0, untilMs: Infinity }],
    ['node:node-2=crash@10s+60s', { type: 'node', name: 'node-2', state: 'crashed', fromMs: 10_000, untilMs: 70_000 }],
    ['node=silent', { type: 'node', name: undefined, state: 'silent', fromMs: 0, untilMs: Infinity }],
    ['partition:web-0@5s+10s', { type: 'partition', name: 'web-0', fromMs: 5000, untilMs: 15_000 }],
    ['clock+1h', { type: 'clock', byMs: 3_600_000, atMs: 0 }],
    ['clock-30s@5s', { type: 'clock', byMs: -30_000, atMs: 5000 }],
  ])('%s', ([text, fault]) => {
    expect(readFault(text)).toMatchObject({ ...fault, text });
  });

  it.for<[string, string]>([
    ['', 'there is no such fault'],
    ['kill@', 'there is no such fault'],
    ['kill:App', 'there is no such fault'],
    ['exit', 'there is no such fault'],
    ['exit:256', '256 is no exit code'],
    ['kill@120%', '120% is no share of starts'],
    ['kill@0%', '0% is no share of starts'],
    ['kill@soon', '"soon" is no duration'],
    ['kill@-5s', '-5s is before the beginning'],
    ['probe:readiness=pass', 'there is no such fault'],
    ['probe:readiness=fail@1s+', '"" is no duration'],
    ['partition', 'there is no such fault'],
    ['clock1h', 'there is no such fault'],
    ['clock+later', '"+later" is no duration'],
  ])('refuses %j: %s', ([text, why]) => {
    expect(() => readFault(text)).toThrow(why);
  });
});
