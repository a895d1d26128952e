import { describe, expect, it } from 'vitest';
import { compareTranscripts, type Difference, leftOut, USAGE } from '../transcripts.ts';
import { runHere } from '../in-process.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach({ leavesPods: true });

const DETACHED: Difference = {
  reason: 'kubectl leaves Pods to a cluster, podrun to the background',
  command: (command) => `${command} --detach`,
  saysMore: true,
};
const ANSWER = leftOut('the words are those of a recorded answer; those of podrun: test/manifest');
const SERVER_SIDE = leftOut('podrun applies on one side only: there is no server');
const COUNTED = leftOut('podrun tells the line and column of it: test/manifest');

describe('apply, as kubectl does it:', () => {
  compareTranscripts('apply', workshop, {
    'apply-create': DETACHED,
    'apply-unchanged': DETACHED,
    'apply-configured': DETACHED,
    'apply-multi': DETACHED,
    'v-apply': DETACHED,
    'v-apply-again': DETACHED,
    'apply-immutable': ANSWER,
    'apply-novalidate-server': leftOut('podrun has the rules of the API with it'),
    'apply-ssa': SERVER_SIDE,
    'apply-ssa2': SERVER_SIDE,
    'v-ssa': SERVER_SIDE,
    'v-ssa-again': SERVER_SIDE,
    'v-ssa-conflict': SERVER_SIDE,
    'apply-missing-anno': leftOut('what was applied is kept beside the Pod, not in an annotation'),
    'apply-missingfile': USAGE,
    'apply-nokind': COUNTED,
    'apply-unknownkind': COUNTED,
    'apply-generatename': leftOut('a Pod of podrun gets a name of it, as with kubectl create'),
    'apply-nofile': leftOut('there is no -k'),
    'apply-invalid-many': ANSWER,
    'apply-strict': ANSWER,
    'v-strict-apply': ANSWER,
    'v-strict-apply-patch': ANSWER,
    replace: leftOut('a Pod of podrun has a node: the rules of the API want that in the manifest'),
  });
});

describe('commands of kubectl that podrun does not have', () => {
  it.each([{ command: 'config', instead: 'podrun runs on this machine: ' }])(
    '$command is unknown, with the command to use instead',
    async ({ command, instead }) => {
      const { exitCode, stdout, stderr } = await runHere(workshop, [command, '-f', 'pod.yaml']);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(`error: unknown command "${command}" for "podrun"\n${instead}`);
      expect(stderr).not.toContain('Did you mean');
    },
  );
});
