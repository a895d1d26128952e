import type { ExecRequest } from '../../runtime/index.ts';
import type { LiveInstance } from '../base/instance.ts';

/** The command of a hook, a probe or `podrun exec`, with the variables and the working directory of the container. */
export function commandIn(
  { ref, launch }: Pick<LiveInstance, 'ref' | 'launch'>,
  [program, ...args]: ExecRequest['argv'],
): Pick<ExecRequest, 'id' | 'argv' | 'env' | 'cwd'> {
  const { env, cwd, translate = (word) => word } = launch;
  return { id: ref.id, argv: [translate(program), ...args.map(translate)], env, cwd };
}
