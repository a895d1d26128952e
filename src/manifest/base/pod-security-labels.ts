import { entry, type FieldError, invalid } from './field-error.ts';

/**
 * The Pod Security labels of a namespace: a level for each mode, and a version of its rules.
 * Source: pod-security-admission/api/helpers.go.
 */

const PREFIX = 'pod-security.kubernetes.io';

/** The levels, the most lenient first. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

const MODES = ['enforce', 'audit', 'warn'] as const;
type Mode = (typeof MODES)[number];

/** The rules of a mode: a level, and `latest` or `v1.30`. */
export interface LevelVersion {
  readonly level: (typeof LEVELS)[number];
  readonly version: string;
}

type Labels = Readonly<Record<string, string | undefined>>;

const keyOf = (mode: Mode): string => `${PREFIX}/${mode}`;

const isLevel = (text: string): text is LevelVersion['level'] => (LEVELS as readonly string[]).includes(text);

const isVersion = (text: string): boolean => text === 'latest' || /^v1\.(?:0|[1-9]\d{0,4})$/.test(text);

/** The rules of a mode in a namespace with these labels, which are valid. */
export function podSecurityOf(labels: Labels = {}, mode: Mode): LevelVersion {
  const { [keyOf(mode)]: level = '', [`${keyOf(mode)}-version`]: version = 'latest' } = labels;
  return { level: isLevel(level) ? level : 'privileged', version: isVersion(version) ? version : 'latest' };
}

/** The labels of a namespace that name no level or no version. */
export function podSecurityMistakes(labels: Labels = {}): FieldError[] {
  return MODES.flatMap((mode) => {
    const key = keyOf(mode);
    const versionKey = `${key}-version`;
    const { [key]: level = 'privileged', [versionKey]: version = 'latest' } = labels;
    return [
      ...(isLevel(level) ? [] : [invalid(entry('metadata.labels', key), level, `must be one of ${LEVELS.join(', ')}`)]),
      ...(isVersion(version)
        ? []
        : [invalid(entry('metadata.labels', versionKey), version, 'must be "latest" or "v1.x"')]),
    ];
  });
}
