import { describe, expect, it } from 'vitest';
import { isOutputShown, type KeyState, pressed, typedKeys } from '../../src/cli/view/key-state.ts';
import type { BlockTarget } from '../../src/print/live/status-row.ts';
import { webPod } from '../print/pods.ts';

const [web, db] = ['web', 'db'].map((name) => webPod({ metadata: { name, uid: name } })) as [
  BlockTarget['pod'],
  BlockTarget['pod'],
];
const TARGETS: readonly BlockTarget[] = [
  { pod: web },
  { pod: web, container: 'app' },
  { pod: web, container: 'proxy' },
  { pod: db },
];
const START: KeyState = { chosen: undefined, output: 'all', filter: '', isFiltering: false };

/** The choice, the shown output, the filter and the effects after these keys. */
function after(...keys: readonly string[]): string {
  let state = START;
  const effects: string[] = [];
  for (const key of keys) {
    const outcome = pressed(state, key, TARGETS);
    ({ state } = outcome);
    const { effect } = outcome;
    if (effect !== undefined) effects.push(`${effect.type} ${'target' in effect ? nameOf(effect.target) : ''}`.trim());
  }
  const { chosen, filter, isFiltering, output } = state;
  const shown = typeof output === 'string' ? output : nameOf(output);
  return `${nameOf(chosen)} | ${shown} | ${filter}${isFiltering ? '_' : ''} | ${effects.join(', ')}`;
}

function nameOf(target: BlockTarget | undefined): string {
  if (target === undefined) return '-';
  return target.container === undefined ? target.pod.metadata.name : `${target.pod.metadata.name}/${target.container}`;
}

describe('keys', () => {
  it.each<[keys: string[], state: string]>([
    [[], '- | all |  | '],
    [['down'], 'web | all |  | '],
    [['down', 'down', 'down', 'down'], 'db | all |  | '],
    [['down', 'down', 'down', 'down', 'down'], '- | all |  | '],
    [['up'], 'db | all |  | '],
    [['up', 'up', 'escape'], '- | all |  | '],
    [['q'], '- | all |  | stop'],
    [['Q'], '- | all |  | stop'],
    [['l'], '- | none |  | outputTurned'],
    [['l', 'l'], '- | all |  | outputTurned, outputTurned'],
    [['d'], '- | all |  | describe -'],
    [['down', 'down', 'd'], 'web/app | all |  | describe web/app'],
    [['down', 'down', 'l'], 'web/app | web/app |  | log web/app'],
    [['down', 'l', 'down', 'l'], 'web/app | web/app |  | log web, log web/app'],
    [['down', 'l', 'l'], 'web | all |  | log web, outputTurned'],
    [['down', 'l', 'escape', 'escape'], '- | all |  | log web, outputTurned'],
    [['r'], '- | all |  | choose'],
    [['down', 'r'], 'web | all |  | restart web'],
    [['up', 's'], 'db | all |  | shell db'],
    [['?'], '- | all |  | help'],
    [['h'], '- | all |  | help'],
    [['x', 'enter', 'backspace'], '- | all |  | '],
    [['/', 'q', 'd'], '- | all | qd_ | '],
    [['/', 'q', 'd', 'backspace', 'up', 'enter'], '- | all | q | '],
    [['/', 'q', 'enter', 'q'], '- | all | q | stop'],
    [['/', 'q', 'escape'], '- | all |  | '],
    [['/', 'q', 'enter', 'escape'], '- | all |  | '],
  ])('%j', (keys, state) => {
    expect(after(...keys)).toBe(state);
  });

  it('give up a choice that is gone', () => {
    const chosen = pressed({ ...START, chosen: { pod: webPod({ metadata: { uid: 'old' } }) } }, 'r', TARGETS);
    expect(chosen).toEqual({ state: START, effect: { type: 'choose', key: 'r' } });
  });

  it('come one by one from what a terminal sends; other sequences are none', () => {
    expect(typedKeys('q\u001B[A\u001BOBl\u001B\u001B[1;5C\u001B[15~\r\u007F/ab\u0003')).toEqual([
      'q',
      'up',
      'down',
      'l',
      'escape',
      'enter',
      'backspace',
      '/',
      'a',
      'b',
    ]);
  });
});

it('output is shown of all, of none, of a choice, and of what a filter lets through', () => {
  const shown = (state: Partial<KeyState>): string[] =>
    (['web/app', 'web/proxy', 'db/main'] as const).filter((name) => {
      const [pod, container = ''] = name.split('/');
      return isOutputShown({ ...START, ...state }, pod === 'web' ? web : db, container);
    });
  expect(shown({})).toHaveLength(3);
  expect(shown({ output: 'none' })).toEqual([]);
  expect(shown({ output: { pod: web } })).toEqual(['web/app', 'web/proxy']);
  expect(shown({ output: { pod: web, container: 'app' } })).toEqual(['web/app']);
  expect(shown({ filter: 'b/' })).toEqual(['web/app', 'web/proxy', 'db/main']);
  expect(shown({ filter: 'main' })).toEqual(['db/main']);
});
