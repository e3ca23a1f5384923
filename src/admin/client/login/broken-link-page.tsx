import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';

/** Where a link of a mail leads of which a part is missing; who follows it may have no business behind the sign-in. */
export function BrokenLinkPage() {
  usePageTitle('Broken link');
  return (
    <EntranceFrame
      title="This link is not complete"
      lead="A part of it is missing. Open it from the mail again, or copy the whole of it."
    />
  );
}
