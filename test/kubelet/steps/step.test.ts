import { expect, it } from 'vitest';
import {
  type LaunchStep,
  prepareLaunch,
  releaseLaunch,
  restoreLaunch,
  type StepOutcome,
} from '../../../src/kubelet/steps/step.ts';
import { startOf } from './one-start.ts';

const changing = (changes: Extract<StepOutcome, { ok: true }>['changes']): LaunchStep => ({
  prepare: () => ({ ok: true, changes }),
});

/** A step that is called `name` in the list of released steps. */
const released: string[] = [];
const releasing = (name: string): LaunchStep => ({ ...changing({}), release: () => void released.push(name) });

it('gives the container what the steps have changed; variables of the manifest win', async () => {
  const steps = [
    changing({ argv: ['true'], cwd: '/tmp', defaults: { A: 'offered', B: 'offered' } }),
    changing({ variables: new Map([['A', 'wanted']]) }),
  ];
  expect(await prepareLaunch(steps, startOf())).toEqual({
    ok: true,
    launch: { argv: ['true'], cwd: '/tmp', stdin: false, env: { A: 'wanted', B: 'offered' } },
    notices: [],
  });
});

it('shows each step the draft of the steps before it', async () => {
  const step: LaunchStep = { prepare: (_, { cwd }) => ({ ok: true, changes: { argv: [cwd] } }) };
  const outcome = await prepareLaunch([changing({ cwd: '/srv' }), step], startOf());
  expect(outcome).toMatchObject({ launch: { argv: ['/srv'] } });
});

it('translates paths of the container in all words and values', async () => {
  const draft = { argv: ['cat', '/log'] as const, defaults: { A: '/log' }, variables: new Map([['B', 'in /log']]) };
  const translate = (text: string): string => text.replace('/log', '/host/log');
  expect(await prepareLaunch([changing({ ...draft, translate })], startOf())).toMatchObject({
    launch: { argv: ['cat', '/host/log'], env: { A: '/host/log', B: 'in /host/log' }, translate },
  });
});

it('stops at the first failure, and releases the steps before it from the last one', async () => {
  released.length = 0;
  const failure = { ok: false, stage: 'create', message: 'no room' } as const;
  const failing: LaunchStep = { prepare: () => failure, release: () => void released.push('failing') };
  const outcome = await prepareLaunch([releasing('a'), releasing('b'), failing, releasing('c')], startOf());
  expect(outcome).toEqual(failure);
  expect(released).toEqual(['b', 'a']);
});

it('takes a thrown error for a mistake in the configuration', async () => {
  const throwing: LaunchStep = {
    prepare: () => {
      throw new Error('disk full');
    },
  };
  const rejecting: LaunchStep = { prepare: () => Promise.reject(new Error('disk full')) };
  for (const step of [throwing, rejecting]) {
    expect(await prepareLaunch([step], startOf())).toEqual({ ok: false, stage: 'config', message: 'disk full' });
  }
});

it('releases all steps of a container that has ended', () => {
  released.length = 0;
  releaseLaunch([releasing('a'), changing({}), releasing('b')], startOf());
  expect(released).toEqual(['b', 'a']);
});

it('restores what a former agent could not leave behind', () => {
  const launch = { argv: ['true'] as const, env: {}, cwd: '/', stdin: false };
  const translate = (word: string): string => word;
  const steps = [changing({}), { ...changing({}), restore: () => ({ translate }) }];
  expect(restoreLaunch(steps, startOf(), launch)).toEqual({ ...launch, translate });
});
