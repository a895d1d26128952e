import { usage } from '../../api/index.ts';
import { SOURCE_CHOICES, type SourceChoice } from '../../lifecycle/index.ts';

/** Images run where nothing else says what to run: a Pod that a user brings from a cluster runs without changes. */
const DEFAULT_SOURCE: SourceChoice = 'auto';

/** The sources of the choice, the first one wins: --images, $PODRUN_IMAGES, podrun.yaml. */
interface ChoiceSources {
  readonly flag: SourceChoice | undefined;
  readonly variable: string | undefined;
  readonly file: SourceChoice | undefined;
}

/**
 * The choice of the first source that has one.
 * @throws {PodrunError} (usage) when the variable has an invalid value
 */
export function imageSource({ flag, variable, file }: ChoiceSources): SourceChoice {
  if (flag !== undefined || !variable) return flag ?? file ?? DEFAULT_SOURCE;
  const chosen = SOURCE_CHOICES.find((choice) => choice === variable);
  if (chosen !== undefined) return chosen;
  throw usage(`invalid PODRUN_IMAGES ${JSON.stringify(variable)}`, `Use one of ${SOURCE_CHOICES.join(', ')}.`);
}
