import { describe } from 'vitest';
import { compareTranscripts, leftOut, USAGE } from '../transcripts.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();

const needsContainer = (file: string) => leftOut(`it needs a container that runs: see ${file}`);

describe('exec and attach, as kubectl does it:', () => {
  const exec = needsContainer('exec.test.ts');
  const attach = needsContainer('attach.test.ts');
  const transport = leftOut('there is no server to upgrade a connection to');
  compareTranscripts('exec', workshop, {
    exec,
    'exec-3': exec,
    'exec-i': exec,
    'exec-it-notty': exec,
    'exec-c': exec,
    'exec-quiet': exec,
    'exec-noent-126': exec,
    'exec-deploy': leftOut('podrun runs no Deployments'),
    'exec-fallback404': transport,
    'exec-spdy-env': transport,
    'exec-olddash': USAGE,
    attach,
    'attach-it-notty': attach,
    'attach-defaulted': attach,
  });
});

describe('cp, as kubectl does it:', () => {
  const cp = needsContainer('cp.test.ts');
  compareTranscripts('cp', workshop, {
    'cp-to': cp,
    'cp-from': cp,
    'cp-defaulted': cp,
    'cp-ns': cp,
    'cp-both': USAGE,
  });
});

describe('port-forward, as kubectl does it:', () => {
  compareTranscripts('port-forward', workshop, {});
});
