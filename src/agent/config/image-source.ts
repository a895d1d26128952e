import { usage } from '../../api/errors.ts';
import { SOURCE_CHOICES, type SourceChoice } from '../../lifecycle/images/types.ts';

/** The sources of the choice, the first one wins: --images, $PODRUN_IMAGES, podrun.yaml. */
interface ChoiceSources {
  readonly flag: SourceChoice | undefined;
  readonly variable: string | undefined;
  readonly file: SourceChoice | undefined;
}

/**
 * The choice of the first source that has one; programs of this machine without any.
 * @throws {PodrunError} (usage) when the variable has an invalid value
 */
export function imageSource({ flag, variable, file }: ChoiceSources): SourceChoice {
  if (flag !== undefined || !variable) return flag ?? file ?? 'host';
  const chosen = SOURCE_CHOICES.find((choice) => choice === variable);
  if (chosen !== undefined) return chosen;
  throw usage(`invalid PODRUN_IMAGES ${JSON.stringify(variable)}`, `Use one of ${SOURCE_CHOICES.join(', ')}.`);
}
