import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const run = async (...args: string[]): Promise<string> => (await workshop.run(['version', ...args])).stdout;

it('prints the versions of podrun and of Kubernetes', async () => {
  expect(await run()).toMatch(/^podrun v\d+\.\d+\.\d+\nKubernetes: v1\.36\.\d+\n$/);
  expect(await run('--client')).toMatch(/^podrun v\d+\.\d+\.\d+\n$/);
});

it('-o has the fields of kubectl', async () => {
  const all = JSON.parse(await run('-o', 'json')) as unknown;
  expect(all).toMatchObject({
    clientVersion: { gitVersion: expect.stringMatching(/^v1\./) as string, major: '1' },
    serverVersion: { gitVersion: expect.stringMatching(/^v1\.36\./) as string, major: '1', minor: '36' },
  });
  expect(parse(await run('-o', 'yaml'))).toEqual(all);
  expect(Object.keys(parse(await run('-o', 'yaml', '--client')) as object)).toEqual(['clientVersion']);
});
