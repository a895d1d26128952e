import { spawn } from 'node:child_process';
import { expect, it, type TestContext } from 'vitest';
import { need, needs } from '../needs.ts';
import { ORDINARY_USER } from '../ordinary-user.ts';
import { attemptIn, escaping, ROOT_APART, run, USER_APART } from './worlds.ts';

/** A terminal of the user that runs the tests. A program leads a session in it. */
async function terminalOfHost(context: TestContext): Promise<string> {
  need(context, 'script of util-linux');
  // A shell warns of a locale that is not installed.
  const env = { ...process.env, LC_ALL: 'C' };
  const words = ['-qfc', 'tty; exec sleep 600', '/dev/null'];
  const script = spawn('script', words, { stdio: ['pipe', 'pipe', 'ignore'], env });
  context.onTestFinished(() => void script.kill('SIGKILL'));
  const [line] = await new Promise<string[]>((resolve) => {
    script.stdout.once('data', (text: Buffer) => resolve(text.toString().trim().split('\n')));
  });
  return line?.trim() ?? '';
}

const attempts = (terminal: string): string =>
  `for way in '<' '>' '<>'; do (eval "exec 9$way${terminal}") && echo opened; done 2>/dev/null; echo end`;

it.for([
  ['root, for a container of another user', ROOT_APART, { runAsUser: ORDINARY_USER }],
  ['an ordinary user', USER_APART, {}],
] as const)(
  'a terminal of root cannot be opened where podrun is run by %s',
  needs('root'),
  async ([, world, identity], context) => {
    const script = attempts(await terminalOfHost(context));
    expect(await run(attemptIn(context, world), escaping(script, { securityContext: identity }))).toEqual(['end']);
  },
);

it('a container of root types nothing into a terminal of the host', needs('program perl'), async (context) => {
  const terminal = await terminalOfHost(context);
  const TIOCSTI = '0x5412';
  const type = `open F, "+<", "${terminal}" or die; $c = "x"; print ioctl(F, ${TIOCSTI}, $c) ? "typed" : "refused"`;
  expect(await run(attemptIn(context, ROOT_APART), escaping(`LC_ALL=C perl -e '${type}'`))).toEqual(['refused']);
});
