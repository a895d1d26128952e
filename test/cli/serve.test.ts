import { afterAll, expect, it } from 'vitest';
import { Workshop } from './workshop.ts';

const workshop = new Workshop();

afterAll(() => workshop.close());

it('serve --once runs COMMAND with KUBECONFIG, and answers its exit code', async () => {
  const command = 'grep -q \'"token"\' "$KUBECONFIG" && stat -c %a "$KUBECONFIG" && exit 3';
  const { exitCode, stdout } = await workshop.run(['serve', '--once', '--', 'sh', '-c', command]);
  expect([exitCode, stdout]).toEqual([3, '600\n']);
});

it('serve refuses a COMMAND without --once, and --once without a COMMAND', async () => {
  const { exitCode, stderr } = await workshop.run(['serve', '--', 'true']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('a COMMAND needs --once')]);
  expect((await workshop.run(['serve', '--once'])).exitCode).toBe(2);
});
