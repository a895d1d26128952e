/** The networks that a user can choose for Pods: the host's, one for each Pod, or one that the Pods of a run share. */
export const NETWORK_CHOICES = ['host', 'pod', 'cluster'] as const;

export type NetworkChoice = (typeof NETWORK_CHOICES)[number];
