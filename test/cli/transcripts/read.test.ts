import { describe, expect, it } from 'vitest';
import { recordings, replay } from '../prepared-store.ts';
import { compareTranscripts, leftOut, USAGE } from '../transcripts.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();

const NO_SERVER = leftOut('what an API server answers when it cannot, may not or will not: there is no server');
const VERSIONS = leftOut('resourceVersion and generation are the own of each store: compared without them, below');

const WATCH_ONLY = leftOut('nobody can tell from outside when it begins: get-watch.test.ts changes until it is seen');

describe('get, as kubectl does it:', () => {
  compareTranscripts('get', workshop, {
    'get-json1': VERSIONS,
    'get-watch-only': WATCH_ONLY,
    'get-w-one-only': WATCH_ONLY,
    'get-badout': USAGE,
    'get-allns-name': USAGE,
    'get-cm': {
      reason: 'the store gives a time to what is created without one',
      stdout: (text) => text.replace('<unknown>', '<invalid>'),
    },
  });
});

describe('describe, as kubectl does it:', () => {
  compareTranscripts('describe', workshop, { 'describe-job': leftOut('podrun has no Jobs') });
});

describe('events, as kubectl does it:', () => {
  compareTranscripts('events', workshop, {
    'events-badtypes': USAGE,
    'events-for-bad': USAGE,
    'events-oyaml': VERSIONS,
  });
});

describe('errors, as kubectl does it:', () => {
  compareTranscripts('errors', workshop, {
    'err-500': NO_SERVER,
    'err-401': NO_SERVER,
    'err-405': NO_SERVER,
    'err-429': NO_SERVER,
    'err-unknownflag': USAGE,
    'err-unknowncmd': leftOut('podrun has no command `set`: what it suggests is its own'),
  });
});

describe('other commands, as kubectl does it:', () => {
  compareTranscripts('misc', workshop, {
    version: leftOut('podrun has a version of its own, and no server'),
    cordon: leftOut('there are no nodes'),
  });
});

describe('whole objects, as kubectl prints them:', () => {
  it.each([...recordings('get', ['get-json1']), ...recordings('events', ['events-oyaml'])])(
    '$command',
    async (recording) => {
      const plain = (text: string): string => text.replaceAll(/^ *"?(resourceVersion|generation)"?: .*\n/gm, '');
      const { stdout, stderr, exit } = await replay(workshop, recording);
      expect({ exit, stderr, stdout: plain(stdout) }).toEqual({ exit: 0, stderr: '', stdout: plain(recording.stdout) });
    },
  );
});
