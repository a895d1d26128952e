import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { MeetingPlace } from '../../src/envtest/etcd/meeting-place.ts';
import type { ApiCaller } from '../../src/envtest/base/api-caller.ts';

/** No program listens there: the number only names a folder. */
const PORT = 1;

it('keeps an exit code for a kube-apiserver that opens its pipe late', async () => {
  const place = path.join(tmpdir(), `podrun-envtest-${process.getuid?.()}`, String(PORT));
  let meet: (caller: ApiCaller) => void = () => {};
  const met = new Promise<ApiCaller>((resolve) => (meet = resolve));
  const meeting = new MeetingPlace(PORT);
  try {
    const own = path.join(place, '7');
    execFileSync('mkfifo', [`${own}.in`, `${own}.out`]);
    const input = openSync(`${own}.in`, constants.O_RDWR);
    writeFileSync(`${own}.new`, '--a=b\0');
    renameSync(`${own}.new`, `${own}.flags`);
    // It has come before anyone waits for it.
    meeting.open(meet);
    const caller = await met;
    expect(caller.flags).toEqual(['--a=b']);
    caller.tell('busy');
    caller.end(3);
    const output = openSync(`${own}.out`, constants.O_RDONLY | constants.O_NONBLOCK);
    closeSync(input);
    await caller.gone;
    expect(readFileSync(output, 'utf8')).toBe('say busy\nexit 3\n');
    closeSync(output);
    expect(existsSync(`${own}.out`)).toBe(false);
  } finally {
    meeting.close();
  }
});
