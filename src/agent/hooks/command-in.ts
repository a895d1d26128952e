import type { ExecRequest } from '../../runtime/runtime.ts';
import type { LiveInstance } from '../instance.ts';

/** The command of a hook, a probe or `podrun exec`, with the variables and the working directory of the container. */
export function commandIn(
  { ref, preparation }: Pick<LiveInstance, 'ref' | 'preparation'>,
  [program, ...args]: ExecRequest['argv'],
): Pick<ExecRequest, 'id' | 'argv' | 'env' | 'cwd'> {
  const { env, cwd, translate = (word) => word } = preparation;
  return { id: ref.id, argv: [translate(program), ...args.map(translate)], env, cwd };
}
