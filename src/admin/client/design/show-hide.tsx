import { Anchor } from '@mantine/core';

interface ShowHideProps {
  /** What the words "Show" and "Hide" are followed by. */
  readonly what: string;
  readonly shown: boolean;
  readonly onChange: (shown: boolean) => void;
}

/** The end of a sentence that shows more about it, and hides it again. */
export function ShowHide({ what, shown, onChange }: ShowHideProps) {
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      underline="always"
      aria-expanded={shown}
      onClick={() => onChange(!shown)}
    >
      {shown ? 'Hide' : 'Show'} {what}
    </Anchor>
  );
}
