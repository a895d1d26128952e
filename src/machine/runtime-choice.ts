/** The isolation of containers. auto: the best on this machine. Any other choice must be available. */
export const RUNTIME_CHOICES = ['auto', 'process', 'namespace'] as const;
export type RuntimeChoice = (typeof RUNTIME_CHOICES)[number];
