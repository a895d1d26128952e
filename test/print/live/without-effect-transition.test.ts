import { expect, it } from 'vitest';
import { fieldHasNoEffect } from '../../../src/lifecycle/texts/podrun-events.ts';
import {
  eventTransition,
  isAboutFieldWithoutEffect,
  withoutEffectTransition,
} from '../../../src/print/live/event-transition.ts';
import { webEvent } from '../pods.ts';
import { storyLine } from '../story.ts';

const about = (paths: readonly string[], note: string) => {
  const { type, reason, message } = fieldHasNoEffect({ paths, note });
  return webEvent(reason, { type, message });
};

it('fields without effect share one line, each once, whichever container has them', () => {
  const limits = ['initContainers[0]', 'containers[0]', 'containers[1]'].map((one) => `spec.${one}.resources.limits`);
  const events = [
    about(['spec.hostname'], 'why: because'),
    about(limits, 'no cgroup'),
    about(['spec.volumes[3].emptyDir.medium', 'metadata.finalizers'], 'x'),
  ];
  expect(events.every(isAboutFieldWithoutEffect)).toBe(true);
  expect(events.map((event) => eventTransition(event, 0))).toEqual([undefined, undefined, undefined]);
  expect(storyLine(withoutEffectTransition(events, 0))).toBe(
    '· Pod  no effect: hostname, resources.limits, volumes.emptyDir.medium, metadata.finalizers',
  );
});

it('of very many containers, what the event leaves out is left out', () => {
  const paths = Array.from({ length: 20 }, (_, index) => `spec.containers[${index}].tty`);
  expect(storyLine(withoutEffectTransition([about(paths, 'x')], 0))).toBe('· Pod  no effect: tty');
});
