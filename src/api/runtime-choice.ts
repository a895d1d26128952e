/** How containers shall be kept apart: as well as this machine permits, or in this way and no other. */
export const RUNTIME_CHOICES = ['auto', 'process', 'namespace'] as const;
export type RuntimeChoice = (typeof RUNTIME_CHOICES)[number];
