import type { CodeEditorProps } from '../code/code-editor.js';
import { CodeInput } from '../code/code-input.js';
import { CopyButton } from './copy-button.js';

/** Code to read and copy. */
export function CodeSample({
  code,
  language,
  label,
  maxHeight = 360,
}: {
  code: string;
  language: CodeEditorProps['language'];
  label: string;
  maxHeight?: number;
}) {
  return (
    <div style={{ position: 'relative' }}>
      <CodeInput language={language} value={code} label={label} readOnly minHeight={30} maxHeight={maxHeight} />
      <div style={{ position: 'absolute', top: 4, right: 4 }}>
        <CopyButton value={code} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}
