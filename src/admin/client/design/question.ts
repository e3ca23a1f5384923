import type { ReactNode } from 'react';

/** What is asked, and the words of the answer that goes on. */
export interface Question {
  readonly title: string;
  readonly body?: ReactNode;
  /** The words on the button that goes on: what happens, never "OK". */
  readonly action: string;
  readonly danger?: boolean;
  /** A text that must be typed before the button works. */
  readonly typed?: string;
}
