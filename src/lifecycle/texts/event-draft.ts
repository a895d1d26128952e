/** An event to record. `container` adds the field path of that container. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
  /** The source of the event. Undefined: the kubelet. Events of podrun itself are recorded once and never combined. */
  readonly component?: 'podrun';
}
