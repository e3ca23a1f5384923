import { useEditor, useEditorState, EditorContent } from '@tiptap/react';
import { Editor } from '@tiptap/core';
import { StarterKit } from '@tiptap/starter-kit';
import DOMPurify from 'dompurify';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { CodeInput } from '../code/code-input.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import classes from './fields.module.css';
import { convertUrls } from './rich-text/convert-urls.js';
import { isKept, toEditable, toStored } from './rich-text/kept-html.js';
import { keptNodes } from './rich-text/kept-nodes.js';
import { mediaNodes } from './rich-text/media-nodes.js';
import { tableNodes } from './rich-text/table-nodes.js';
import { textStyles } from './rich-text/text-styles.js';
import { Toolbar } from './rich-text/toolbar.js';

const FilePickerDialog = lazy(async () => ({
  default: (await import('../files/file-picker-dialog.js')).FilePickerDialog,
}));

const EXTENSIONS = [
  StarterKit.configure({ link: { openOnClick: false, HTMLAttributes: { rel: 'noopener', target: '_blank' } } }),
  ...textStyles,
  ...mediaNodes,
  ...tableNodes,
  ...keptNodes,
];

/** Pasted, only what the editor itself can make: no script, no styles of the place it was copied from. */
function clean(html: string): string {
  // Handlers go first: parsing them, even to throw them away, is reported as a breach of the content security policy.
  const quiet = html.replaceAll(/\son[a-z]+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, '');
  return DOMPurify.sanitize(quiet, {
    FORBID_TAGS: ['style', 'form', 'input', 'button'],
    FORBID_ATTR: ['class', 'id'],
    ADD_ATTR: ['target'],
  });
}

/** Whether the editor gives back all that is in a text. */
function canEdit(html: string): boolean {
  if (html === '') return true;
  return isKept(html, (editable) => {
    const trial = new Editor({ element: null, extensions: EXTENSIONS, content: editable });
    const result = trial.getHTML();
    trial.destroy();
    return result;
  });
}

function words(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

/**
 * Rich text as HTML (UI-31). What is stored changes only when something is typed, and only there: what the editor does
 * not know it keeps, and a text of which it could not keep all is edited as HTML (UI-77).
 */
export function EditorInput({ field, value, onChange, error }: FieldInputProps) {
  const html = String(value ?? '');
  const [full, setFull] = useState(false);
  const isEditable = useMemo(() => canEdit(html), [html]);
  const [wantsSource, setWantsSource] = useState(false);
  const source = wantsSource || !isEditable;
  const [picking, setPicking] = useState(false);
  const last = useRef(html);
  const latest = useRef(onChange);
  latest.current = onChange;
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: toEditable(html),
    editorProps: {
      attributes: { 'aria-label': field.name, role: 'textbox', 'aria-multiline': 'true', dir: 'auto' },
      transformPastedHTML: clean,
    },
    onUpdate: ({ editor: current }) => {
      const text = current.isEmpty ? '' : toStored(current.getHTML());
      last.current = field.convertURLs ? convertUrls(text, window.location.origin) : text;
      latest.current(last.current);
    },
  });
  useEffect(() => {
    if (!editor || html === last.current) return;
    last.current = html;
    // What was there before is no step to go back to.
    editor
      .chain()
      .setMeta('addToHistory', false)
      .setContent(toEditable(html), { emitUpdate: false })
      .setTextSelection(0)
      .run();
  }, [editor, html]);
  useEffect(() => {
    if (!full) return undefined;
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      setFull(false);
    };
    window.addEventListener('keydown', leave, { capture: true });
    return () => window.removeEventListener('keydown', leave, { capture: true });
  }, [full]);
  const count = useEditorState({
    editor,
    selector: ({ editor: current }) => {
      const doc = current?.state.doc;
      return doc ? words(doc.textBetween(0, doc.content.size, ' ', ' ')) : 0;
    },
  });
  if (!editor) return null;
  return (
    <FieldFrame field={field} error={error}>
      <div className={`${classes.box} ${classes.editor}`} data-full={full || undefined}>
        <Toolbar
          editor={editor}
          full={full}
          onFull={() => setFull(!full)}
          source={source}
          onSource={isEditable ? () => setWantsSource(!source) : undefined}
          onPickFile={() => setPicking(true)}
        />
        {isEditable ? null : (
          <p className={classes.note} role="note">
            This text has parts that the editor could not keep. It is edited as HTML, so that nothing is lost.
          </p>
        )}
        {source ? (
          <CodeInput
            bare
            language="html"
            label={`${field.name}, HTML code`}
            value={html}
            onChange={onChange}
            minHeight={180}
            maxHeight={480}
          />
        ) : (
          <div className={classes.prose}>
            <EditorContent editor={editor} />
          </div>
        )}
        <div className={classes.wordCount} aria-live="off">
          {count} {count === 1 ? 'word' : 'words'}
        </div>
      </div>
      {picking ? (
        <Suspense fallback={null}>
          <FilePickerDialog
            kinds={['image', 'video', 'audio']}
            onClose={() => setPicking(false)}
            onPick={({ url, kind, name }) => {
              setPicking(false);
              editor
                .chain()
                .focus()
                .insertContent({ type: kind, attrs: kind === 'image' ? { src: url, alt: name } : { src: url } })
                .run();
            }}
          />
        </Suspense>
      ) : null}
    </FieldFrame>
  );
}
